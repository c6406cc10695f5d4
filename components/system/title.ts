import type { Metadata } from "next";
import { getTranslator } from "#components/words/page-words.ts";
import type { MessageKey } from "#lib/i18n/catalogue.ts";

/** The title of a page of the system. */
export const createSystemMetadata = (key: MessageKey<"system">) => async (): Promise<Metadata> => ({
  title: (await getTranslator("system"))(key),
});
