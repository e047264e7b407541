"""Declarations, from Doxygen's XML back to C++ as the headers write it."""
import re

WIDTH = 96  # of a line
CLASSES = ("class", "struct", "union", "concept")


def plain(element):
    return "" if element is None else re.sub(r"\s+", " ", "".join(element.itertext())).strip()


def cpp(text):
    """As the headers write it: `const Tensor& x`, `a = 1`, `vector<T>`."""
    text = re.sub(r"<\s+", "<", re.sub(r"\s+(?=>(?!=))", "", text))
    text = re.sub(r"\s+([&*]+)\s*(?=\w)", r"\1 ", text)
    text = re.sub(r"\s+([&*]+)(?=[),>.]|$)", r"\1", text)
    text = re.sub(r"\)(const)?(&+)$", lambda m: ") " + " ".join(filter(None, m.groups())), text)
    return re.sub(r"(?<=[\w)\]>&]) ?(?<![<>=!])=(?!=) ?", " = ", text).replace("operator = ", "operator=").strip()


def broken(start, rest):
    """A declaration that is too long for a line: `rest` begins with its parameters, of which each line takes as many as fit."""
    parts, depth = [""], 0
    for c in rest[1:]:
        depth += (c in "(<{") - (c in ")>}")
        parts[-1] += c
        if c == "," and depth == 0:
            parts.append("")
    lines = [start + "("]
    for k, part in enumerate(p.strip() for p in parts):
        if k and len(lines[-1]) + 1 + len(part) > WIDTH:
            lines.append("    " + part)
        else:
            lines[-1] += " " * (k > 0) + part
    return "\n".join(lines)


class Item:
    """A declaration: a function, a class with its own items, a type, a variable."""

    def __init__(self, element, shows):
        """`shows(member)`: whether a member of a class is for callers."""
        self.element, self.kind, self.id = element, element.get("kind"), element.get("id")
        self.name = element.findtext("name") or re.sub(r"<.*", "", element.findtext("compoundname"))
        place = element.find("location")
        self.header, self.line, self.end = place.get("file"), int(place.get("line") or 0), int(place.get("bodyend") or 0)
        self.docs = [p for name in ("briefdescription", "detaileddescription") for p in element.iterfind(f"{name}/*")]
        self.part, self.member = None, False  # the part of a class or header in which it stands; whether it is of a class
        self.items = []
        if self.kind in CLASSES:
            self.items = sorted((Item(m, shows) for m in element.iter("memberdef") if shows(m)), key=lambda i: i.line)
            for item in self.items:
                item.member = True

    def text(self, tag):
        return plain(self.element.find(tag))

    def says(self, attribute):
        return self.element.get(attribute) == "yes"

    def last_name(self):
        return re.sub(r"^(\w+::)*", "", self.name)

    def short_name(self):
        """Without namespaces; a class that is in another class has that one's name before its own."""
        return re.sub(r"^(?:[a-z]\w*::)+(?=\w)", "", self.name)

    def parameters(self):
        """The parameters of a function that has some."""
        text = self.text("argsstring")
        return None if text.startswith("()") else text

    def short(self):
        """Its comment, where that is one short line of text."""
        text = plain(self.docs[0]) if len(self.docs) == 1 and self.docs[0].tag == "para" and self.docs[0].find(".//verbatim") is None else ""
        return text if len(text) <= 90 else ""

    # -- as C++ ---------------------------------------------------------------------------------------------------------

    def code(self):
        if self.kind == "concept":
            return re.sub(r"template ?<(.*?)> concept (\w+::)*", r"template <\1>\nconcept ", cpp(self.text("initializer"))) + ";"
        if self.kind == "enum":
            return self.enumeration()
        if self.kind == "define":
            return f"#define {self.name}({', '.join(plain(p) for p in self.element.findall('param'))})"
        if self.kind in CLASSES:
            bases = ", ".join(plain(b).removeprefix("ordo::") for b in self.element.findall("basecompoundref") if b.get("prot") == "public")
            return self.template() + f"{self.kind} {self.last_name()}{' final' * self.says('final')}" + (f" : {cpp(bases)}" if bases else "")
        if self.kind == "typedef":
            return self.template() + f"using {self.name} = {cpp(self.text('type'))};"
        return self.template() + self.function_or_variable()

    def template(self):
        parameters = self.element.find("templateparamlist")
        if parameters is None:
            return ""
        texts = [" ".join(filter(None, (plain(p.find("type")), plain(p.find("declname")), "=" * (p.find("defval") is not None), plain(p.find("defval"))))) for p in parameters]
        requires = self.text("requiresclause")
        return cpp(f"template <{', '.join(texts)}>") + (f"\nrequires {requires}" if requires else "") + "\n"

    def enumeration(self):
        values = [(" ".join(filter(None, (v.findtext("name"), v.findtext("initializer")))), plain(v.find("briefdescription")) + plain(v.find("detaileddescription")))
                  for v in self.element.findall("enumvalue")]
        under = self.text("type")
        head = f"enum {'class ' * self.says('strong')}{self.name}{' : ' + under if under else ''} {{"
        if not any(docs for _, docs in values) and len(head) + sum(len(v) + 2 for v, _ in values) < WIDTH:
            return f"{head} {', '.join(v for v, _ in values)} }};"
        return head + "".join(f"\n  {v},{'  // ' + docs if docs else ''}" for v, docs in values) + "\n};"

    def function_or_variable(self):
        arguments, words = cpp(self.text("argsstring")), []
        if self.says("static"):
            words.append("static")
        if self.element.get("virt") in ("virtual", "pure-virtual") and not re.search(r" (override|final)\b", arguments):
            words.append("virtual")
        if self.says("explicit"):
            words.append("explicit")
        kind = re.sub(r"\b(static|virtual|explicit|inline) ", "", cpp(self.text("type")) + " ").strip()
        start = " ".join(filter(None, [*words, kind, self.name]))
        if self.kind == "variable":
            initial = self.text("initializer")
            return start + arguments + (f" {initial}" if 0 < len(initial) < 60 else "") + ";"
        line = f"{start}{arguments};"
        return line if len(line) <= WIDTH else broken(start, arguments + ";")
