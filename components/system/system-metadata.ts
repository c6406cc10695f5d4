import type { Metadata } from "next";
import { getTranslator } from "#components/i18n/request-translator.ts";
import type { MessageKey } from "#lib/i18n/catalogue.ts";

/** Creates the function that loads the metadata of a system page: its title. */
export const createSystemPageMetadataLoader = (key: MessageKey<"system">) => async (): Promise<Metadata> => ({
  title: (await getTranslator("system"))(key),
});
