import type { Namespace } from "#lib/words/catalogue.ts";
import { messagesOf } from "#lib/words/catalogue.ts";
import { currentLocale } from "#lib/api/page.ts";
import { reader, type Words } from "./words.ts";

/** The words for what isn't a component: `generateMetadata`, server actions, route handlers. */
export async function pageWords<Name extends Namespace>(namespace: Name): Promise<Words<Name>> {
  const locale = await currentLocale();
  return reader<Name>(locale, messagesOf(locale, namespace));
}
