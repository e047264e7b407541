"""rewrite.py SPEC ROOT: turns positional optional arguments of calls into designated ones. SPEC lines:
function required member=default,member=default,..."""
import re,sys,os
def split_args(s):
    out=[];d=0;cur='';q=None
    i=0
    while i<len(s):
        c=s[i]
        if q:
            cur+=c
            if c=='\\': cur+=s[i+1]; i+=1
            elif c==q: q=None
        elif c in '"\'' and not (c=="'" and cur and cur[-1].isdigit()):
            q=c;cur+=c
        elif c in '([{': d+=1;cur+=c
        elif c in ')]}': d-=1;cur+=c
        elif c==',' and d==0: out.append(cur.strip());cur=''
        else: cur+=c
        i+=1
    if cur.strip(): out.append(cur.strip())
    return out
def find_close(s,i):  # i at '('
    d=0;q=None
    while i<len(s):
        c=s[i]
        if q:
            if c=='\\': i+=1
            elif c==q: q=None
        elif c=='"': q=c
        elif c=='(': d+=1
        elif c==')':
            d-=1
            if d==0: return i
        i+=1
    return -1
spec={}
for l in open(sys.argv[1]):
    l=l.strip()
    if not l: continue
    f,r,m=l.split(' ',2)
    spec[f]=(int(r),[tuple(x.split('=',1)) for x in m.split(';')])
root=sys.argv[2]
pat=re.compile(r'(?<![\w.>:"])(?:ordo::)?('+'|'.join(sorted(spec,key=len,reverse=True))+r')\(')
skip=re.compile(sys.argv[3]) if len(sys.argv)>3 else None
n=0
for dp,dn,fn in os.walk(root):
    dn[:]=[d for d in dn if d not in('build','.git')]
    for f in fn:
        p=os.path.join(dp,f)
        if not f.endswith(('.cpp','.h','.cu','.cuh','.md')) : continue
        if skip and skip.search(p): continue
        s=open(p).read(); o=s; pos=0
        while True:
            m=pat.search(s,pos)
            if not m: break
            pos=m.end()
            before=s[max(0,m.start()-12):m.start()]
            if re.search(r'(Tensor|Result|double|auto) $',before) : continue   # a declaration
            close=find_close(s,m.end()-1)
            if close<0: continue
            args=split_args(s[m.end():close])
            r,mem=spec[m.group(1)]
            if len(args)<=r: continue
            opt=args[r:]
            if opt[0].startswith('{.') : continue
            if any(re.match(r'(const |int64_t |double |bool |Size\d |Tensor |Reduction \w)',a) for a in args): continue
            fields=[]
            if m.group(1)=='binary_cross_entropy_with_logits' and len(opt)==1 and re.match(r'(Reduction|reduction|sum$)',opt[0]): fields=['.reduction = '+opt[0]]
            else:
                if len(opt)>len(mem): print('too many',p,m.group(0),args); continue
                for a,(name,default) in zip(opt,mem):
                    if a=='{}' or a==default or a=='Tensor()': continue
                    fields.append(f'.{name} = {a}')
            new=', '.join(args[:r]+(['{'+', '.join(fields)+'}'] if fields else []))
            s=s[:m.end()]+new+s[close:]
            n+=1
        if s!=o: open(p,'w').write(s); print(p)
print(n,'calls')
