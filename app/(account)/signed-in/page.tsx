import type { Metadata } from "next";
import { useWords } from "#words";
import { AccountFrame } from "#components/account/account-frame.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { page } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { pageWords } from "#components/words/page-words.ts";
import { mustBeSignedIn } from "#lib/http/page.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageWords("signIn"))("again.title") };
}

/** Where somebody comes who signed in in a second tab, while a form waits in the first. */
export default page(async function SignedIn() {
  await mustBeSignedIn();
  return <Again />;
}, NarrowFrame);

function Again() {
  const t = useWords("signIn");
  return (
    <AccountFrame title={t("again.title")} lead={t("again.text")}>
      <div>
        <LinkButton href="/">{t("toStart")}</LinkButton>
      </div>
    </AccountFrame>
  );
}
