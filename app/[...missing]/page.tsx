import type { Metadata } from "next";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { definePage } from "#components/shell/page.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { throwNotFound } from "#lib/http/page.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator("shell"))("notFound.name") };
}

/** Catches every unknown address. Next's `not-found.tsx` can't, since it is rendered along with every existing page. */
export default definePage(() => throwNotFound(), NarrowFrame);
