import type { Metadata } from "next";
import { pageWords } from "#components/words/page-words.ts";
import type { Key } from "#lib/i18n/catalogue.ts";

/** The title of a page of the system. */
export const systemTitle = (key: Key<"system">) => async (): Promise<Metadata> => ({
  title: (await pageWords("system"))(key),
});
