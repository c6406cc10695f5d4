import type { Metadata } from "next";
import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { SupportContact } from "#components/account/support-contact.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { definePage } from "#components/shell/page.tsx";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { Card } from "#components/ui/card.tsx";
import { TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { checkSetup } from "#lib/accounts/operations.ts";
import { loadPageData, getCurrentActor } from "#lib/http/page.ts";
import { env } from "#lib/env.ts";
import { canSeeSomeOrganization, isOnAnyTeamOrSystemAdmin, type Actor } from "#lib/operation/policy.ts";
import { redirectToEventAction } from "./actions.ts";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslator("visitor");
  return {
    title: { absolute: t("pageTitle") },
    description: t("what"),
    robots: { index: true, follow: false },
    alternates: { canonical: env().baseUrl },
    openGraph: {
      type: "website",
      siteName: "Heed",
      title: t("pageTitle"),
      description: t("what"),
      url: env().baseUrl,
      images: [{ url: `${env().baseUrl}/apple-touch-icon.png`, alt: "Heed" }],
    },
    twitter: { card: "summary" },
  };
}

/** The landing page: what the product is, screenshots, and links to report, sign in and set up. */
export default definePage(async function Landing() {
  const actor = await getCurrentActor();
  const { needsFirstAccount, registration, supportContact } = await loadPageData(checkSetup);
  const t = useTranslator("visitor");
  return (
    <NarrowFrame width="wide" aside={!actor && <SignInLink />}>
      <div className="grid gap-12 sm:gap-16">
        <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_minmax(0,26rem)] lg:gap-12">
          <div className="grid gap-5">
            <h1 className="text-3xl sm:text-4xl lg:text-5xl">{t("headline")}</h1>
            <p className="max-w-[52ch] text-lg text-muted sm:text-xl">{t("what")}</p>
            <SupportContact contact={supportContact} />
          </div>
          <div className="grid gap-4">
            {needsFirstAccount && <FirstRunSetup />}
            {actor && <SignedInLinks actor={actor} />}
            {!needsFirstAccount && <ReportLookup />}
          </div>
        </div>
        <ProductScreenshots />
        <FeaturePoints />
        {!actor && <TeamSection needsFirstAccount={needsFirstAccount} open={registration === "open"} />}
      </div>
    </NarrowFrame>
  );
}, NarrowFrame);

function SignInLink() {
  const t = useTranslator("visitor");
  return (
    <a href="/login" className={buildButtonClass()}>
      {t("signIn")}
    </a>
  );
}

/** Shown before the first registration: setup is the only action. */
function FirstRunSetup() {
  const t = useTranslator("visitor");
  return (
    <Card title={t("startHere")}>
      <div className="grid gap-4">
        <p>{t("startHereWhy")}</p>
        <div>
          <a href="/register" className={buildButtonClass("primary")}>
            {t("createFirst")}
          </a>
        </div>
      </div>
    </Card>
  );
}

function SignedInLinks({ actor }: { actor: Actor }) {
  const t = useTranslator("visitor");
  const organizations = canSeeSomeOrganization(actor);
  return (
    <Card title={t("signedInAs", { name: actor.name })} className="min-w-0 wrap-anywhere">
      <div className="flex flex-wrap gap-3">
        <a href="/inbox" className={buildButtonClass("primary")}>
          {t(isOnAnyTeamOrSystemAdmin(actor) ? "yourIncidents" : "yourReports")}
        </a>
        {organizations && (
          <a href="/orgs" className={buildButtonClass()}>
            {t("yourOrganizations")}
          </a>
        )}
      </div>
    </Card>
  );
}

function ReportLookup() {
  const t = useTranslator("visitor");
  return (
    <Card title={t("haveLink")}>
      <div className="grid gap-4">
        <p className="text-muted">{t("haveLinkWhy")}</p>
        <ClientMessagesProvider of={["ui"]}>
          <Form action={redirectToEventAction} label={t("openEvent")} className="!gap-4">
            <TextField
              name="event"
              label={t("eventLink")}
              placeholder={t("eventExample")}
              autoComplete="off"
              spellCheck={false}
              markOptional={false}
            />
            <FormActions>
              <SubmitButton pendingLabel={t("opening")}>{t("openTheEvent")}</SubmitButton>
            </FormActions>
          </Form>
        </ClientMessagesProvider>
        <p>
          <a href="/mailbox" className="text-link inline-flex min-h-11 items-center">
            {t("comeBack")}
          </a>
        </p>
      </div>
    </Card>
  );
}

/** Screenshots of the product, taken by `npm run screens:landing`. */
function ProductScreenshots() {
  const t = useTranslator("visitor");
  return (
    <section className="grid gap-6">
      <h2 className="text-2xl">{t("screens")}</h2>
      <div className="grid items-start gap-6 lg:grid-cols-[19rem_minmax(0,1fr)]">
        <ScreenshotFigure
          of="report"
          width={360}
          height={740}
          caption={t("screenForm")}
          alt={t("screenFormAlt")}
        />
        <ScreenshotFigure
          of="inbox"
          width={1280}
          height={800}
          caption={t("screenList")}
          alt={t("screenListAlt")}
        />
      </div>
    </section>
  );
}

type PictureProps = { of: "report" | "inbox"; width: number; height: number; caption: string; alt: string };

function ScreenshotFigure({ of, width, height, caption, alt }: PictureProps) {
  const source = (scheme: "light" | "dark") => `/screens/${of}-${scheme}.webp`;
  return (
    <figure className="grid min-w-0 gap-3">
      <picture className="grid overflow-hidden rounded-surface border border-edge">
        <source srcSet={source("dark")} media="(prefers-color-scheme: dark)" />
        <img
          src={source("light")}
          alt={alt}
          width={width}
          height={height}
          loading="lazy"
          decoding="async"
          className="h-auto w-full"
        />
      </picture>
      <figcaption className="max-w-[60ch] text-muted">{caption}</figcaption>
    </figure>
  );
}

function FeaturePoints() {
  const t = useTranslator("visitor");
  return (
    <dl className="grid gap-x-8 gap-y-6 sm:grid-cols-3">
      {(["pointReport", "pointTeam", "pointEnd"] as const).map((point) => (
        <div key={point} className="grid content-start gap-1 border-t-2 border-accent pt-3">
          <dt className="font-[650]">{t(point)}</dt>
          <dd className="text-muted">{t(`${point}Why`)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** How a team begins; before the first registration, the page says that above, and this names programs only. */
function TeamSection({ needsFirstAccount, open }: { needsFirstAccount: boolean; open: boolean }) {
  const t = useTranslator("visitor");
  const linkTo = (href: string) => (label: ReactNode) => (
    <a href={href} className="text-link py-2.5">
      {label}
    </a>
  );
  const link = linkTo("/register");
  return (
    <section className="grid gap-2 border-t border-line pt-8">
      {!needsFirstAccount && (
        <>
          <h2 className="text-xl">{t("running")}</h2>
          <p className="max-w-[60ch] text-muted">
            {t("runningInvite")} {open ? t.rich("runningRegister", { link }) : t("runningAsk")}
          </p>
        </>
      )}
      <p className="max-w-[60ch] text-muted">{t.rich("runningPrograms", { link: linkTo("/reference") })}</p>
    </section>
  );
}
