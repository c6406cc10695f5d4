import type { Metadata } from "next";
import { cache } from "react";
import { useLocale, useWords } from "#words";
import { RegistrationFields } from "#components/account/registration-fields.tsx";
import { SwitchAccount } from "#components/account/switch-account.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { page, withStatus } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { DefinitionList } from "#components/ui/definition-list.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Time } from "#components/ui/time.tsx";
import { pageWords } from "#components/words/page-words.ts";
import { MIN_PASSWORD_LENGTH } from "#lib/accounts/passwords.ts";
import { MAX_PERSON_NAME } from "#lib/accounts/schema.ts";
import { withNext } from "#lib/http/next-path.ts";
import { showIfThere, viewer } from "#lib/http/page.ts";
import { onThisSite } from "#lib/design/on-this-site.ts";
import { exactTime } from "#lib/design/time.ts";
import { viewAnyInvite } from "#lib/invites/operations.ts";
import type { Actor } from "#lib/operation/policy.ts";
import type { Key } from "#lib/i18n/catalogue.ts";
import { acceptInviteAction, registerWithInviteAction } from "./actions.ts";
import { NoInvite } from "./no-invite.tsx";
import { alreadyHas, nameOf, type Offer, placeOf } from "./offer.ts";

type Props = { params: Promise<{ code: string }> };

/** Says no more than whether it can be used: titles stay in the history of a browser. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const t = await pageWords("invite");
  const { code } = await params;
  // What fails here fails in the page as well, which says so.
  const offer = await offerOf(code).catch(() => null);
  const over = offer && overFor(offer, { actor: await viewer(), now: new Date() });
  return { title: t(over ? over.why : "title") };
}

/** Read once for the title and the page. */
const offerOf = cache((code: string) => showIfThere(viewAnyInvite, { code }));

/** What somebody is invited to, and the one step to take it up. */
export default page(async function InvitePage({ params }: Props) {
  const { code } = await params;
  const offer = await offerOf(code);
  if (!offer) return await withStatus(404, <NoInvite />);
  const actor = await viewer();
  const over = overFor(offer, { actor, now: new Date() });
  return (
    <NarrowFrame>
      <div className="grid gap-6 wrap-anywhere">
        <OfferHead offer={offer} over={over} />
        {over ? <Unusable offer={offer} over={over} /> : <Answer code={code} offer={offer} actor={actor} />}
      </div>
    </NarrowFrame>
  );
}, NarrowFrame);

type Viewed = Offer & { invite: { role: string; expiresAt: string | null; usable: boolean } };

/** An invite that can't be used any more; the two reasons besides its end look alike to the public. */
type Over = { why: "expired"; at: Date } | { why: "unusable" };

/** Null while it can be used, and for who has what it offers. */
function overFor(offer: Viewed, { actor, now }: { actor: Actor | null; now: Date }): Over | null {
  if (offer.invite.usable || (actor && alreadyHas(offer, actor))) return null;
  const until = offer.invite.expiresAt && new Date(offer.invite.expiresAt);
  return until && until <= now ? { why: "expired", at: until } : { why: "unusable" };
}

function OfferHead({ offer, over }: { offer: Viewed; over: Over | null }) {
  const t = useWords("invite");
  const { organization, event, invite } = offer;
  return (
    <div className="grid gap-5">
      {organization.logoUrl && (
        <img
          src={onThisSite(organization.logoUrl)}
          alt={t("logoOf", { name: organization.name })}
          className="max-h-16 max-w-48 justify-self-start object-contain"
        />
      )}
      <h1 className="text-2xl sm:text-3xl">{over ? t(over.why) : t("heading", { name: nameOf(offer) })}</h1>
      <DefinitionList
        items={[
          ...(event ? [{ term: t("event"), value: event.name }] : []),
          { term: t("organization"), value: organization.name },
          { term: t("yourRole"), value: <Role name={invite.role} /> },
          ...(over
            ? []
            : [
                {
                  term: t("openUntil"),
                  value: invite.expiresAt ? <Time value={invite.expiresAt} /> : t("noEnd"),
                },
              ]),
        ]}
      />
    </div>
  );
}

function Role({ name }: { name: string }) {
  const t = useWords("invite");
  return (
    <>
      <span className="font-[650]">{t(`role.${name}` as Key<"invite">)}</span>
      <span className="block text-muted">{t(`about.${name}` as Key<"invite">)}</span>
    </>
  );
}

type AnswerProps = { code: string; offer: Viewed; actor: Actor | null };

function Answer({ code, offer, actor }: AnswerProps) {
  const held = actor && alreadyHas(offer, actor);
  if (held) return <Held offer={offer} more={held === "more"} />;
  return actor ? <Accept code={code} offer={offer} actor={actor} /> : <Newcomer code={code} />;
}

function Held({ offer, more }: { offer: Viewed; more: boolean }) {
  const t = useWords("invite");
  const name = nameOf(offer);
  return (
    <>
      <Notice kind="success" title={more ? t("member", { name }) : t("taken")}>
        <p>{more ? t("memberAbout") : t("takenAbout", { name })}</p>
      </Notice>
      <div>
        <LinkButton href={placeOf(offer)} variant="primary">
          {t("goTo", { name })}
        </LinkButton>
      </div>
    </>
  );
}

function Accept({ code, offer, actor }: { code: string; offer: Viewed; actor: Actor }) {
  const t = useWords("invite");
  return (
    <div className="grid gap-4">
      <Form action={acceptInviteAction} hidden={{ code }} label={t("acceptForm")}>
        <p className="text-muted">
          {t.rich("signedInAs", {
            name: actor.name,
            email: actor.email,
            strong: (words) => <span className="text-ink">{words}</span>,
          })}
        </p>
        <FormActions>
          <SubmitButton pendingLabel={t("joining")}>{t("join", { name: nameOf(offer) })}</SubmitButton>
        </FormActions>
      </Form>
      <SwitchAccount next={`/invite/${code}`} />
    </div>
  );
}

function Newcomer({ code }: { code: string }) {
  const t = useWords("invite");
  return (
    <>
      <Card title={t("haveAccount")}>
        <div className="grid gap-3">
          <p className="text-muted">{t("signInAbout")}</p>
          <div>
            <LinkButton href={withNext("/login", `/invite/${code}`)}>{t("signIn")}</LinkButton>
          </div>
        </div>
      </Card>
      <Card title={t("newHere")}>
        <Form action={registerWithInviteAction} hidden={{ code }} label={t("registerForm")}>
          <RegistrationFields minPassword={MIN_PASSWORD_LENGTH} maxName={MAX_PERSON_NAME} />
          <FormActions>
            <SubmitButton pendingLabel={t("registering")}>{t("register")}</SubmitButton>
          </FormActions>
        </Form>
      </Card>
    </>
  );
}

function Unusable({ offer, over }: { offer: Viewed; over: Over }) {
  const t = useWords("invite");
  const locale = useLocale();
  return (
    <>
      <Notice kind="warning">
        <p>
          {over.why === "expired"
            ? t("expiredAbout", { time: exactTime(over.at, locale) })
            : t("unusableAbout")}
        </p>
      </Notice>
      {offer.event && <UrgentHelp event={offer.event} />}
    </>
  );
}

/** Whoever came here to report something is not left standing before a closed door. */
function UrgentHelp({ event }: { event: { name: string; slug: string } }) {
  const t = useWords("invite");
  return (
    <div className="grid justify-items-start gap-3">
      <p className="text-muted">{t("urgent", { event: event.name })}</p>
      <LinkButton href={`/e/${event.slug}`}>{t("toEvent", { event: event.name })}</LinkButton>
    </div>
  );
}
