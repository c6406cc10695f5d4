import type { Metadata } from "next";
import { MailedLinkPage, readMailedToken } from "#components/account/mailed-link-page.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { page } from "#components/shell/page.tsx";
import { pageWords } from "#components/words/page-words.ts";
import { showEmailChange } from "#lib/accounts/operations.ts";
import { show } from "#lib/http/page.ts";
import type { Query } from "#lib/design/query.ts";
import { confirmEmailAction } from "../actions.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageWords("signIn"))("confirm.name") };
}

/** The link of the mail changes nothing by being opened: mail programs open links, too. */
export default page(async function ConfirmEmail({ searchParams }: { searchParams: Promise<Query> }) {
  const query = await searchParams;
  const token = readMailedToken(query);
  const link = token === undefined ? null : await show(showEmailChange, {}, { token });
  return <MailedLinkPage kind="confirm" action={confirmEmailAction} query={query} link={link} />;
}, NarrowFrame);
