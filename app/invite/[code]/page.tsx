import type { Metadata } from "next";
import { RegistrationFields } from "#components/account/registration-fields.tsx";
import { SideLink } from "#components/account/side-link.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { page, withStatus } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { DefinitionList } from "#components/ui/definition-list.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Time } from "#components/ui/time.tsx";
import { MIN_PASSWORD_LENGTH } from "#lib/accounts/passwords.ts";
import { MAX_PERSON_NAME } from "#lib/accounts/schema.ts";
import { withNext } from "#lib/api/next-path.ts";
import { showIfThere, viewer } from "#lib/api/page.ts";
import { viewAnyInvite } from "#lib/invites/event-invites.ts";
import type { Actor } from "#lib/policy.ts";
import { acceptInviteAction, registerWithInviteAction } from "./actions.ts";
import { NoInvite } from "./no-invite.tsx";
import { hasTaken, type Offer, placeOf, ROLE_WORDS } from "./offer.ts";

export const metadata: Metadata = { title: "Invite" };

export default page(async function InvitePage({ params }: { params: Promise<{ code: string }> }) {
  const { code } = await params;
  const offer = await showIfThere(viewAnyInvite, { code });
  if (!offer) return await withStatus(404, <NoInvite />);
  const actor = await viewer();
  const now = new Date();
  const taken = actor !== null && hasTaken(offer, actor);
  return (
    <NarrowFrame>
      <div className="grid gap-6">
        <OfferHead offer={offer} />
        {taken ? (
          <Taken offer={offer} />
        ) : offer.invite.usable ? (
          <TakeUp code={code} offer={offer} actor={actor} />
        ) : (
          <Unusable expired={offer.invite.expiresAt !== null && new Date(offer.invite.expiresAt) <= now} />
        )}
      </div>
    </NarrowFrame>
  );
}, NarrowFrame);

type Viewed = Offer & { invite: { role: string; expiresAt: string | null; usable: boolean } };

function OfferHead({ offer }: { offer: Viewed }) {
  const { organization, event, invite } = offer;
  const role = ROLE_WORDS[invite.role];
  return (
    <div className="grid gap-5">
      {organization.logoUrl && (
        <img
          src={organization.logoUrl}
          alt={`Logo of ${organization.name}`}
          className="max-h-16 max-w-48 justify-self-start object-contain"
        />
      )}
      <h1 className="text-2xl sm:text-3xl">You are invited to {event?.name ?? organization.name}</h1>
      <DefinitionList
        items={[
          ...(event ? [{ term: "Event", value: event.name }] : []),
          { term: "Organization", value: organization.name },
          {
            term: "Your role",
            value: (
              <>
                <span className="font-[650]">{role?.name ?? invite.role}</span>
                {role && <span className="block text-muted">{role.about}</span>}
              </>
            ),
          },
          { term: "Open until", value: invite.expiresAt ? <Time value={invite.expiresAt} /> : "No end date" },
        ]}
      />
    </div>
  );
}

function Taken({ offer }: { offer: Viewed }) {
  const name = offer.event?.name ?? offer.organization.name;
  return (
    <>
      <Notice kind="success" title="You have accepted this already">
        <p>You are part of {name} in this role. Nothing is left to do here.</p>
      </Notice>
      <div>
        <LinkButton href={placeOf(offer)} variant="primary">
          Go to {name}
        </LinkButton>
      </div>
    </>
  );
}

type TakeUpProps = { code: string; offer: Viewed; actor: Actor | null };

function TakeUp({ code, offer, actor }: TakeUpProps) {
  if (!actor) return <Newcomer code={code} />;
  return (
    <Form action={acceptInviteAction} hidden={{ code }} label="Accept the invite">
      <p className="text-muted">
        You are signed in as <span className="break-words text-ink">{actor.name}</span> ({actor.email}).
      </p>
      <FormActions>
        <SubmitButton pendingLabel="Accepting…">
          Join {offer.event?.name ?? offer.organization.name}
        </SubmitButton>
      </FormActions>
    </Form>
  );
}

function Newcomer({ code }: { code: string }) {
  return (
    <>
      <Card title="Have an account?">
        <div className="grid gap-3">
          <p className="text-muted">Sign in; you come back here to accept.</p>
          <div>
            <LinkButton href={withNext("/login", `/invite/${code}`)}>Sign in</LinkButton>
          </div>
        </div>
      </Card>
      <Card title="New here?">
        <Form action={registerWithInviteAction} hidden={{ code }} label="Create an account and accept">
          <RegistrationFields minPassword={MIN_PASSWORD_LENGTH} maxName={MAX_PERSON_NAME} />
          <FormActions>
            <SubmitButton pendingLabel="Creating your account…">Create account and accept</SubmitButton>
          </FormActions>
        </Form>
      </Card>
    </>
  );
}

/** The public view says that it can't be used, and until when it could: the two reasons left look alike. */
function Unusable({ expired }: { expired: boolean }) {
  return (
    <>
      <Notice
        kind="warning"
        title={expired ? "This invite has expired" : "This invite can't be used any more"}
      >
        <p>
          {expired ? "Its time is over." : "It was used as often as it may be, or withdrawn."} Ask whoever
          sent it for a new one.
        </p>
      </Notice>
      <SideLink href="/" label="Go to the start page" />
    </>
  );
}
