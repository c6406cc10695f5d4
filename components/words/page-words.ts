import type { Namespace } from "#lib/i18n/catalogue.ts";
import { messagesOf } from "#lib/i18n/catalogue.ts";
import { currentLocale } from "#lib/http/page.ts";
import { reader, type Words } from "./words.ts";

/** The words for what isn't a component: `generateMetadata`, server actions, route handlers. */
export async function pageWords<Name extends Namespace>(namespace: Name): Promise<Words<Name>> {
  const locale = await currentLocale();
  return reader<Name>(locale, messagesOf(locale, namespace));
}
