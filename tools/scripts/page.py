"""What the report's pages are made of. Texts of files come into a page through escape() alone, and into a terminal through printable()."""
import html
import os
import sys


def escape(text):
    """A text that markup of HTML or SVG shows as it is, between tags and in attributes."""
    return html.escape(str(text))


def printable(text):
    """A text whose control characters a terminal shows and does not obey."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "replace").decode() for c in str(text))


def figure(drawing, caption):
    """`caption`: markup, as all that follows."""
    return f"<figure>{drawing}<figcaption>{caption}</figcaption></figure>"


def section(title, intro, content):
    return f'<section><h2>{title}</h2><p class="intro">{intro}</p>{content}</section>'


def tiles(cells):
    """cells: [(number, what it counts)]"""
    if not cells:
        return ""
    return '<div class="tiles">' + "".join(f"<div><b>{n}</b><span>{t}</span></div>" for n, t in cells) + "</div>"


def whole(title, heading, content, style=""):
    """`style`: CSS of the page's own."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "style.css")) as file:
        style = file.read() + style
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">'
            f'<link rel="icon" href="data:,"><style>{style}</style></head><body><main><h1>{heading}</h1>{content}</main></body></html>\n')


def fail(text, command="report"):
    """Ends the program: the files that it was given are at fault."""
    sys.stderr.write(f"ordo: [{command}] {printable(text)}\n")
    sys.exit(2)


def write(name, text):
    try:
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        fail(f"cannot write {name}: {error.strerror}")
