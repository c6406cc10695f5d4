import { Upload } from "lucide-react";
import type { Metadata } from "next";
import { AccountHead } from "#components/account/account-head.tsx";
import { DoneNotice } from "#components/account/done-notice.tsx";
import { page } from "#components/shell/page.tsx";
import { Avatar } from "#components/ui/avatar.tsx";
import { Button } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { FileField, TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Time } from "#components/ui/time.tsx";
import { showOwnAccount } from "#lib/accounts/own-operations.ts";
import { MAX_PERSON_NAME } from "#lib/accounts/schema.ts";
import { show } from "#lib/api/page.ts";
import type { Query } from "#lib/design/query.ts";
import { changeEmailAction, changeNameAction, keepEmailAction, removeAvatarAction } from "./actions.ts";

export const metadata: Metadata = { title: "Your account" };

export default page(async function Profile({ searchParams }: { searchParams: Promise<Query> }) {
  const [{ account }, query] = await Promise.all([show(showOwnAccount), searchParams]);
  const { avatar } = query;
  return (
    <div className="grid gap-6">
      <AccountHead current="profile" />
      <DoneNotice after={query.after} words={DONE} />
      <div className="grid max-w-2xl gap-6">
        <Name name={account.user.name} />
        <Email email={account.user.email} waiting={account.emailChange} />
        <Picture user={account.user} outcome={typeof avatar === "string" ? avatar : undefined} />
        <p className="text-sm text-muted">
          Your account was made <Time value={account.createdAt} show="date" />.
        </p>
      </div>
    </div>
  );
});

const DONE = {
  "email-asked":
    "Almost done. Open the link that is on its way to the new address; until then your present one holds.",
  "email-same": "This is your address already. Nothing waits to be confirmed.",
  "email-kept": "Your address stays as it is.",
};

function Name({ name }: { name: string }) {
  return (
    <Card title="Name">
      <Form action={changeNameAction} label="Name">
        <TextField
          name="name"
          label="Name"
          hint="Shown to the people you work with here."
          defaultValue={name}
          maxLength={MAX_PERSON_NAME}
          autoComplete="name"
          required
        />
        <FormActions>
          <SubmitButton pendingLabel="Saving…">Save name</SubmitButton>
        </FormActions>
      </Form>
    </Card>
  );
}

type EmailProps = { email: string; waiting: { newEmail: string; expiresAt: string } | null };

function Email({ email, waiting }: EmailProps) {
  return (
    <Card title="E-mail">
      <div className="grid gap-6">
        <p>
          You sign in with <strong className="break-all">{email}</strong>, and mails go there.
        </p>
        {waiting && <Waiting {...waiting} />}
        <Form action={changeEmailAction} label="E-mail">
          <TextField
            name="email"
            type="email"
            label="New address"
            hint="It holds once you open the link that is sent there."
            autoComplete="email"
            required
          />
          <TextField
            name="currentPassword"
            type="password"
            label="Your password"
            autoComplete="current-password"
            required
          />
          <FormActions>
            <SubmitButton pendingLabel="Sending…">Change address</SubmitButton>
          </FormActions>
        </Form>
      </div>
    </Card>
  );
}

function Waiting({ newEmail, expiresAt }: NonNullable<EmailProps["waiting"]>) {
  return (
    <Notice title="A new address waits to be confirmed" className="[&>div]:grow">
      <p>
        <span className="break-all">{newEmail}</span>, with the link that was sent there. It works until{" "}
        <Time value={expiresAt} />.
      </p>
      <Form action={keepEmailAction} label="Take the change back" className="mt-2">
        <FormActions>
          <SubmitButton variant="secondary" pendingLabel="One moment…">
            Keep the present address
          </SubmitButton>
        </FormActions>
      </Form>
    </Notice>
  );
}

type PictureProps = { user: { name: string; avatarUrl: string | null }; outcome: string | undefined };

/** A plain form to a route of its own: a file doesn't fit through a server action. */
function Picture({ user, outcome }: PictureProps) {
  const done = outcome !== undefined && Object.hasOwn(PICTURE_DONE, outcome);
  return (
    <Card title="Picture" id="picture">
      <div className="grid gap-5">
        {done && <DoneNotice after={outcome} words={PICTURE_DONE} />}
        <Avatar name={user.name} src={user.avatarUrl} size="large" decorative />
        <form
          method="post"
          action="/account/avatar"
          encType="multipart/form-data"
          aria-label="Picture"
          className="grid gap-5"
        >
          <FileField
            name="avatar"
            label={user.avatarUrl ? "Another picture" : "Picture"}
            hint="PNG, JPEG or WebP, up to 2 MB and 4096 pixels a side. People who are signed in can see it."
            accept="image/png,image/jpeg,image/webp"
            error={outcome === undefined || done ? undefined : pictureProblem(outcome)}
            required
          />
          <FormActions>
            <Button type="submit" icon={Upload}>
              Save picture
            </Button>
          </FormActions>
        </form>
        {user.avatarUrl && (
          <Form action={removeAvatarAction} label="Remove the picture">
            <FormActions>
              <SubmitButton variant="quiet" pendingLabel="Removing…">
                Remove picture
              </SubmitButton>
            </FormActions>
          </Form>
        )}
      </div>
    </Card>
  );
}

const PICTURE_DONE = { saved: "Your picture is saved.", removed: "Your picture is removed." };

function pictureProblem(code: string): string {
  return Object.hasOwn(PICTURE_PROBLEMS, code)
    ? PICTURE_PROBLEMS[code as keyof typeof PICTURE_PROBLEMS]
    : "The picture could not be saved. Please try again.";
}

const PICTURE_PROBLEMS = {
  VALIDATION_ERROR: "Choose a picture first.",
  PAYLOAD_TOO_LARGE: "This file is larger than 2 MB. Choose a smaller one.",
  IMAGE_TOO_LARGE: "This picture has more than 4096 pixels a side. Choose a smaller one.",
  UNSUPPORTED_FILE_TYPE: "This isn't a PNG, JPEG or WebP picture, whatever its name says.",
  RATE_LIMITED: "Too many files in a short time. Please wait a little.",
  STORAGE_UNAVAILABLE: "Files can't be stored right now. Please try again later.",
};
