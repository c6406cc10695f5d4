/**
 * Typesets a PDF in a separate process: the server starts it by its path, so the bundler never sees it. It runs at a
 * lower priority than the process that answers requests.
 */
import { flushCompileCache } from "node:module";
import { renderToBuffer } from "@react-pdf/renderer";
import { job } from "./typeset-job.ts";

const { document } = await (job.kind === "case"
  ? import("./typeset-case-file.ts")
  : import("./typeset-reports.ts"));
const pdf = new Uint8Array(await renderToBuffer(document));
// Node keeps compiled code when a process exits, but this one is killed once it has sent the document.
flushCompileCache();
process.send?.(pdf);
