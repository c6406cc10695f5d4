import type { Metadata } from "next";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { page } from "#components/shell/page.tsx";
import { pageWords } from "#components/words/page-words.ts";
import { absent } from "#lib/http/page.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageWords("shell"))("notFound.name") };
}

/** Every address that is none. Not Next's `not-found.tsx`, which is rendered along with every page that there is. */
export default page(() => absent(), NarrowFrame);
