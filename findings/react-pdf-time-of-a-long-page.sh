#!/usr/bin/env bash
# @react-pdf/renderer 4.9.0, a document whose text flows over many pages.
#
# One would guess that four times as many paragraphs take about four times as long to set. In one <Page> that wraps, they
# take far more: the time grows with the square of the paragraphs, since what is left over is laid out anew for each page.
# The same paragraphs in several <Page>s of one <Document>, each of some dozen, take time in proportion.
#
# For the service: a case file of hundreds of entries is set in runs of pages (splitIntoRuns in
# lib/analytics/typeset-case-file.ts), at the price of a new page where a run begins.
#
# Packages: @react-pdf/renderer 4.9.0 and react 19.2.0 (npm).
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @react-pdf/renderer@4.9.0 react@19.2.0
cat >run.mjs <<'JS'
import { createElement as h } from "react";
import { Document, Page, Text, View, renderToBuffer } from "@react-pdf/renderer";

const entry = (n) => h(View, { key: n }, h(Text, null, `Entry ${n}. ${"Somebody said what they had seen at the door. ".repeat(6)}`));
const list = (count) => Array.from({ length: count }, (_, n) => entry(n));
const inOnePage = (count) => h(Document, null, h(Page, { size: "A4" }, list(count)));
const inRuns = (count) =>
  h(Document, null, Array.from({ length: count / 50 }, (_, run) => h(Page, { key: run, size: "A4" }, list(count).slice(run * 50, run * 50 + 50))));

async function measure(build, count) {
  const times = [];
  for (let round = 0; round < 2; round += 1) {
    const start = performance.now();
    await renderToBuffer(build(count));
    times.push(performance.now() - start);
  }
  return Math.min(...times);
}

await renderToBuffer(inOnePage(50));
const growth = async (build) => (await measure(build, 1600)) / (await measure(build, 400));
const [page, runs] = [await growth(inOnePage), await growth(inRuns)];
console.log(`4 times the paragraphs: in one page ${page.toFixed(1)} times the time, in pages of 50 ${runs.toFixed(1)} times`);
if (!(page > 1.6 * runs)) throw new Error("the time of one long page grows no faster than that of several");
JS
node run.mjs
