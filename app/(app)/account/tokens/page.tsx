import { KeyRound, Trash2 } from "lucide-react";
import type { Metadata } from "next";
import { AccountHead } from "#components/account/account-head.tsx";
import { DoneNotice } from "#components/account/done-notice.tsx";
import { FreshToken } from "#components/account/fresh-token.tsx";
import { page } from "#components/shell/page.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { RadioGroup, SelectField, TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { Time } from "#components/ui/time.tsx";
import { VisuallyHidden } from "#components/ui/visually-hidden.tsx";
import { listOwnEvents, listTokens } from "#lib/accounts/own-operations.ts";
import { MAX_TOKEN_DAYS } from "#lib/accounts/schema.ts";
import { show } from "#lib/api/page.ts";
import type { Query } from "#lib/design/query.ts";
import { createTokenAction, removeTokenAction } from "./actions.ts";

export const metadata: Metadata = { title: "API tokens" };

const PATH = "/account/tokens";

/** Tokens for programs that act in one's own name. */
export default page(async function Tokens({ searchParams }: { searchParams: Promise<Query> }) {
  const query = await searchParams;
  const [{ tokens, pagination }, { events }] = await Promise.all([
    show(listTokens, {}, { page: query.page }),
    show(listOwnEvents, {}, { limit: "100" }),
  ]);
  const choices = events.filter(({ needsSecondFactor }) => !needsSecondFactor);
  return (
    <div className="grid gap-6">
      <AccountHead current="tokens" />
      <DoneNotice after={query.after} words={DONE} />
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_26rem]">
        <section className="grid min-w-0 grid-cols-1 gap-4" aria-labelledby="tokens">
          <h2 id="tokens" className="text-xl">
            Your tokens
          </h2>
          {tokens.length === 0 ? (
            <EmptyState icon={KeyRound} title="No tokens">
              <p>A token lets a program use the service in your name, with what you may do and no more.</p>
            </EmptyState>
          ) : (
            <ul className="grid grid-cols-1 gap-4">
              {tokens.map((token) => (
                <Token key={token.id} token={token} now={new Date()} />
              ))}
            </ul>
          )}
          <Pagination path={PATH} query={query} page={pagination.page} pages={pagination.totalPages} />
        </section>
        <Card title="New token" className="order-first lg:order-none">
          <NewToken events={choices.map(({ id, name }) => ({ value: id, label: name }))} />
        </Card>
      </div>
    </div>
  );
});

const DONE = { removed: "The token is deleted. Programs that use it are refused from now on." };

type TokenShown = {
  id: string;
  name: string;
  scope: "read" | "write";
  event: { name: string } | null;
  expiresAt: string;
  lastUsedAt: string | null;
  createdAt: string;
};

function Token({ token, now }: { token: TokenShown; now: Date }) {
  const ended = new Date(token.expiresAt) <= now;
  return (
    <li className="grid grid-cols-1 gap-3 rounded-surface border border-line bg-surface p-4 sm:p-6">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h3 className="min-w-0 text-lg break-words">{token.name}</h3>
        <Badge tone={ended ? "neutral" : "positive"}>{ended ? "Ended" : "Works"}</Badge>
      </div>
      <p className="break-words">
        {token.scope === "write" ? "Reads and changes" : "Reads only"},{" "}
        {token.event ? `in ${token.event.name}` : "wherever you may"}
      </p>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-muted">
          <span>
            {ended ? "Ended" : "Ends"} <Time value={token.expiresAt} now={now} />
          </span>
          <span>
            {token.lastUsedAt ? (
              <>
                Last used <Time value={token.lastUsedAt} now={now} />
              </>
            ) : (
              "Never used"
            )}
          </span>
          <span>
            Made <Time value={token.createdAt} now={now} />
          </span>
        </p>
        <Form
          action={removeTokenAction}
          hidden={{ tokenId: token.id }}
          label={`Delete ${token.name}`}
          dialog={{
            trigger: (
              <>
                Delete…<VisuallyHidden> {token.name}</VisuallyHidden>
              </>
            ),
            variant: "quiet",
            title: "Delete this token?",
          }}
        >
          <p className="break-words">
            The program that uses <strong>{token.name}</strong> is refused from then on.
          </p>
          <FormActions>
            <SubmitButton variant="danger" pendingLabel="Deleting…">
              <Icon as={Trash2} /> Delete the token
            </SubmitButton>
          </FormActions>
        </Form>
      </div>
    </li>
  );
}

const SCOPES = [
  { value: "read", label: "Read", hint: "It sees what you may see." },
  { value: "write", label: "Read and change", hint: "It also does what you may do." },
];

function NewToken({ events }: { events: { value: string; label: string }[] }) {
  return (
    <Form action={createTokenAction} label="New token" resetOnSuccess>
      <FreshToken />
      <TextField
        name="name"
        label="Name"
        hint="What it is for, such as the program that uses it."
        maxLength={100}
        autoComplete="off"
        required
      />
      <RadioGroup name="scope" label="What it may do" options={SCOPES} defaultValue="read" required />
      <SelectField
        name="eventId"
        label="Where"
        prompt="Wherever you may"
        options={events}
        markOptional={false}
      />
      <TextField
        name="expiresInDays"
        type="number"
        label="Days until it ends"
        hint={`1 to ${MAX_TOKEN_DAYS}.`}
        min={1}
        max={MAX_TOKEN_DAYS}
        defaultValue="90"
        required
      />
      <FormActions>
        <SubmitButton pendingLabel="Making it…">Make token</SubmitButton>
      </FormActions>
    </Form>
  );
}
