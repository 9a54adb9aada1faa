#!/usr/bin/env python3
"""
What docs/ has of `podium paper` is what the program writes today, byte for byte: the errata, and the data of the
figures shown there. How a picture is drawn depends on gnuplot's version too; of those, only what is written in them is
compared. scripts/paper-figures.sh brings all of it up to date.

  current.py DIRECTORY DOCS
"""
import os
import sys
import xml.etree.ElementTree as ElementTree

from common import expect, finish


def contents(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def main():
    directory, docs = sys.argv[1:]
    for name, kept in (("errata.md", "errata.md"), ("figure2.csv", "figures/figure2.csv"),
                       ("figure5.csv", "figures/figure5.csv")):
        expect(contents(directory, name) == contents(docs, kept),
               "docs/%s is not current: run scripts/paper-figures.sh build/release/cli/podium" % kept)
    for figure in ("figure2", "figure5"):
        root = ElementTree.parse(os.path.join(docs, "figures", figure + ".svg")).getroot()
        fresh = ElementTree.parse(os.path.join(directory, figure + ".svg")).getroot()
        texts = [["".join(text.itertext()).strip() for text in tree.iter("{http://www.w3.org/2000/svg}text")]
                 for tree in (root, fresh)]
        expect(texts[0] == texts[1], "docs/figures/%s.svg says other things than the program's" % figure)
    finish("current")


main()
