import { readFile } from "node:fs/promises";
import path from "node:path";

/** The documents for programs, by the names under which they link to each other. */
const DOCUMENTS = ["clients.md", "contract.md", "errors.md", "live.md", "webhooks.md"];

/** Returns one of the documents as text. The service runs in its own folder (lib/server/start.ts). */
export async function GET(_: Request, { params }: { params: Promise<{ name: string }> }): Promise<Response> {
  const { name } = await params;
  if (!DOCUMENTS.includes(name)) return new Response(null, { status: 404 });
  const file = path.join(/* turbopackIgnore: true */ process.cwd(), "docs", name);
  return new Response(await readFile(file, "utf8"), {
    headers: { "Content-Type": "text/plain; charset=utf-8" },
  });
}
