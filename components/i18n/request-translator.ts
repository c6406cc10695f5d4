import type { MessageNamespace } from "#lib/i18n/catalogue.ts";
import { getMessages } from "#lib/i18n/catalogue.ts";
import { getCurrentLocale } from "#lib/http/page.ts";
import { createTranslator, type Translator } from "./translator.ts";

/** Returns a translator outside components: in `generateMetadata`, server actions and route handlers. */
export async function getTranslator<Name extends MessageNamespace>(
  namespace: Name,
): Promise<Translator<Name>> {
  const locale = await getCurrentLocale();
  return createTranslator<Name>(locale, getMessages(locale, namespace));
}
