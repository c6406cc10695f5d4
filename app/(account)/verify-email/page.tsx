import type { Metadata } from "next";
import { ConfirmEmailAddressPage, parseMailedTokenParam } from "#components/account/mailed-link-page.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { definePage } from "#components/shell/page.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { checkVerificationLink } from "#lib/accounts/operations.ts";
import { loadPageData } from "#lib/http/page.ts";
import type { SearchParams } from "#lib/design/query.ts";
import { verifyEmailAction } from "../actions.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator("signIn"))("confirm.name") };
}

/**
 * Opening the mailed link verifies nothing, because mail programs follow links too; the form on the page
 * does.
 */
export default definePage(async function VerifyEmail({
  searchParams,
}: {
  searchParams: Promise<SearchParams>;
}) {
  const query = await searchParams;
  const token = parseMailedTokenParam(query);
  const link = token === undefined ? null : await loadPageData(checkVerificationLink, {}, { token });
  return <ConfirmEmailAddressPage kind="verify" action={verifyEmailAction} query={query} link={link} />;
}, NarrowFrame);
