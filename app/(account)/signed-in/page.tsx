import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { SignInPageFrame } from "#components/account/account-frame.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { definePage } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { getActorOrRedirectToSignIn } from "#lib/http/page.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator("signIn"))("again.title") };
}

/** Shown to a person who signed in in a second tab while a form waits in the first. */
export default definePage(async function SignedIn() {
  await getActorOrRedirectToSignIn();
  return <SignInAgain />;
}, NarrowFrame);

function SignInAgain() {
  const t = useTranslator("signIn");
  return (
    <SignInPageFrame title={t("again.title")} lead={t("again.text")}>
      <div>
        <LinkButton href="/">{t("toStart")}</LinkButton>
      </div>
    </SignInPageFrame>
  );
}
