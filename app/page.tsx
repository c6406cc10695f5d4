import type { Metadata } from "next";
import type { ReactNode } from "react";
import { LogIn } from "lucide-react";
import { SupportLine } from "#components/account/support-line.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { page } from "#components/shell/page.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { Stepper } from "#components/ui/stepper.tsx";
import { checkSetup } from "#lib/accounts/operations.ts";
import { show, viewer } from "#lib/api/page.ts";
import type { Actor } from "#lib/policy.ts";
import { openEventAction } from "./actions.ts";

export const metadata: Metadata = {
  title: { absolute: "Heed: conduct reports for events and communities" },
  description:
    "Heed takes conduct reports at events and communities, and brings each one to the people who can act on it.",
  robots: { index: true, follow: false },
};

export default page(async function Landing() {
  const actor = await viewer();
  const { needsFirstAccount, registration, supportContact } = await show(checkSetup);
  return (
    <NarrowFrame width="reading" aside={!actor && !needsFirstAccount && <SignIn />}>
      <div className="grid gap-10">
        <div className="grid gap-4">
          <h1 className="text-3xl sm:text-4xl">
            Someone should know what happened. Heed makes sure they do.
          </h1>
          <p className="max-w-[60ch] text-lg text-muted">
            Heed takes conduct reports at events and communities, and brings each one to the people who can
            act on it.
          </p>
        </div>
        {needsFirstAccount && <FirstRun />}
        {actor && <SignedIn actor={actor} />}
        {!needsFirstAccount && <Report />}
        <WhatHappens />
        {!actor && !needsFirstAccount && <ForTeams open={registration === "open"} />}
        <SupportLine contact={supportContact} />
      </div>
    </NarrowFrame>
  );
}, NarrowFrame);

function SignIn() {
  return (
    <LinkButton href="/login" icon={LogIn}>
      Sign in
    </LinkButton>
  );
}

/** Nobody has registered yet: there is one thing to do. */
function FirstRun() {
  return (
    <Card title="Start here">
      <div className="grid gap-4">
        <p>
          This installation is new. Whoever registers first becomes its SystemAdmin, who creates organizations
          and hands out the first invites.
        </p>
        <div>
          <LinkButton href="/register" variant="primary">
            Create the first account
          </LinkButton>
        </div>
      </div>
    </Card>
  );
}

function SignedIn({ actor }: { actor: Actor }) {
  const organizations = actor.systemAdmin || actor.organizations.length > 0;
  return (
    <Card title={`Signed in as ${actor.name}`}>
      <div className="flex flex-wrap gap-3">
        <LinkButton href="/inbox" variant="primary">
          Your incidents
        </LinkButton>
        {organizations && <LinkButton href="/orgs">Your organizations</LinkButton>}
      </div>
    </Card>
  );
}

function Report() {
  return (
    <Card title="Have an event link?">
      <div className="grid gap-4">
        <p className="max-w-[60ch] text-muted">
          Every event has a page of its own. It says who reads a report, and how to send one. The link is in
          the event&apos;s code of conduct, on its badges or on its website.
        </p>
        <Form action={openEventAction} label="Open an event" className="!gap-4">
          <TextField
            name="event"
            label="Event link or short name"
            placeholder="harbour-conf"
            autoComplete="off"
            spellCheck={false}
            markOptional={false}
          />
          <FormActions>
            <SubmitButton pendingLabel="Opening…">Open the event</SubmitButton>
          </FormActions>
        </Form>
      </div>
    </Card>
  );
}

const STEPS = ["Submitted", "Acknowledged", "Investigating", "Resolved", "Closed"];

/** The product itself, in small: what becomes of a report, in the components that show it. */
function WhatHappens() {
  return (
    <section className="grid gap-6">
      <h2 className="text-xl">What becomes of a report</h2>
      <figure className="grid gap-4 rounded-surface border border-line bg-surface p-4 sm:p-6">
        <div className="flex flex-wrap items-center gap-2">
          <p className="me-2 text-lg font-[650]">Shouting at the registration desk</p>
          <Badge tone="state-investigating">Investigating</Badge>
          <Badge tone="severity-medium">Medium</Badge>
        </div>
        <Stepper label="Progress of the example" steps={STEPS} current={2} />
        <figcaption className="text-sm text-muted">An example, as the team of an event sees it.</figcaption>
      </figure>
      <dl className="mt-1 grid gap-x-8 gap-y-5 sm:grid-cols-3">
        <Point term="You say what happened">
          In your own words, with photos or files, with your name or without it.
        </Point>
        <Point term="The team takes it up">
          A small team of the event reads it, answers, and names one person who looks into it.
        </Point>
        <Point term="It comes to an end">
          Every step is kept with its time, until the report is resolved and closed.
        </Point>
      </dl>
    </section>
  );
}

function Point({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="grid content-start gap-1 border-t-2 border-accent pt-3">
      <dt className="font-[650]">{term}</dt>
      <dd className="text-muted">{children}</dd>
    </div>
  );
}

function ForTeams({ open }: { open: boolean }) {
  return (
    <section className="grid gap-2">
      <h2 className="text-xl">Running an event?</h2>
      <p className="max-w-[60ch] text-muted">
        Teams come in by invite: open the link that you were sent.{" "}
        {open && (
          <>
            <TextLink href="/register">Create an account</TextLink> if you have none, and ask
          </>
        )}
        {!open && "If you have none, ask"} the people who run this service for an invite to your organization.
      </p>
    </section>
  );
}
