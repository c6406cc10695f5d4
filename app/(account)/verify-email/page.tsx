import type { Metadata } from "next";
import { MailedLinkPage, readMailedToken } from "#components/account/mailed-link-page.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { page } from "#components/shell/page.tsx";
import { pageWords } from "#components/words/page-words.ts";
import { showVerification } from "#lib/accounts/operations.ts";
import { show } from "#lib/http/page.ts";
import type { Query } from "#lib/design/query.ts";
import { verifyEmailAction } from "../actions.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageWords("signIn"))("confirm.name") };
}

/** The link of the mail confirms nothing by being opened: mail programs open links, too. */
export default page(async function VerifyEmail({ searchParams }: { searchParams: Promise<Query> }) {
  const query = await searchParams;
  const token = readMailedToken(query);
  const link = token === undefined ? null : await show(showVerification, {}, { token });
  return <MailedLinkPage kind="verify" action={verifyEmailAction} query={query} link={link} />;
}, NarrowFrame);
