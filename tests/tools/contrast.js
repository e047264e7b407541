// Texts of a page that stand too little against the nearest background that is not transparent: of elements that match `wanted`,
// less than `least`, or 3 for large text (WCAG 2). check_site.py and tests/tools/page_check.py run it.
(page, least, wanted) => {
  const view = page.defaultView, found = new Set();
  const rgba = (text) => {
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].map(v => v / 255);
  };
  const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const light = ([r, g, b]) => [r, g, b].map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => {
    if (!e) return view.matchMedia('(prefers-color-scheme: dark)').matches ? [.07, .07, .07, 1] : [1, 1, 1, 1];
    const own = rgba(view.getComputedStyle(e).backgroundColor);
    return own[3] === 1 ? own : over(own, behind(e.parentElement));
  };
  for (const e of page.querySelectorAll(wanted)) {
    const style = view.getComputedStyle(e), text = [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.data.trim()).join('');
    if (!text || !e.checkVisibility({opacityProperty: true, visibilityProperty: true}) || !e.getBoundingClientRect().width) continue;
    if (e.closest('script, style, noscript, title, [aria-hidden=true], [hidden]')) continue;
    const ink = e.namespaceURI.endsWith('svg') ? style.fill : style.color;
    const ground = behind(e), front = over(rgba(ink), ground), [a, b] = [light(front), light(ground)].sort((x, y) => y - x);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < (large ? 3 : least)) found.add(e.tagName.toLowerCase() + '.' + (e.getAttribute('class') || '') + ' ' + ratio.toFixed(2) + ': ' + text.slice(0, 30));
  }
  return [...found].slice(0, 8);
}
