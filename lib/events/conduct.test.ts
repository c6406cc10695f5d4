import { expect, test } from "vitest";
import { splitConductSections } from "./conduct.ts";

test("a text is cut at its headings, with an id for each part", () => {
  const text =
    "Be kind.\n\n## What we ask\n\n- Listen\n\n### **Ask** [first](https://example.org) ##\nAlways.";
  expect(splitConductSections(text)).toEqual([
    { id: "conduct-1", title: null, html: "<p>Be kind.</p>\n" },
    { id: "conduct-2", title: "What we ask", html: "<ul>\n<li>Listen</li>\n</ul>\n" },
    { id: "conduct-3", title: "Ask first", html: "<p>Always.</p>\n" },
  ]);
});

test("a text without headings is one part, and nothing is none", () => {
  expect(splitConductSections("Be kind.\nAlways.")).toEqual([
    { id: "conduct-1", title: null, html: "<p>Be kind.<br />\nAlways.</p>\n" },
  ]);
  expect(splitConductSections(" \n ")).toEqual([]);
});

test("a line in a code block is not a heading", () => {
  expect(splitConductSections("```\n# not a heading\n```").map(({ title }) => title)).toEqual([null]);
});

test("HTML in a text is removed", () => {
  const [part] = splitConductSections("## <b>Bold</b>\n<script>alert(1)</script>");
  expect(part?.title).toBe("<b>Bold</b>");
  expect(part?.html).not.toContain("<script");
});

test("a text of hundreds of headings is one part", () => {
  const [part, ...others] = splitConductSections("## A\nBe kind.\n".repeat(300));
  expect(others).toEqual([]);
  expect(part?.title).toBeNull();
  expect(part?.html.match(/<h4>A<\/h4>/g)).toHaveLength(300);
});
