import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { AccountHeader } from "#components/account/account-header.tsx";
import { CompletedActionNotice } from "#components/shell/done-notice.tsx";
import { definePage } from "#components/shell/page.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { Avatar } from "#components/ui/avatar.tsx";
import { Button } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { FileField, SelectField, TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { FormErrors } from "#components/ui/form-errors.tsx";
import { TimeZoneField } from "#components/ui/time-zone-field.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Time } from "#components/ui/time.tsx";
import type { Translator } from "#components/i18n/translator.ts";
import { showOwnAccount } from "#lib/own-account/operations.ts";
import { MAX_PERSON_NAME_LENGTH } from "#lib/accounts/schema.ts";
import { loadPageData } from "#lib/http/page.ts";
import { INITIAL_FORM_STATE } from "#lib/design/form-state.ts";
import type { SearchParams } from "#lib/design/query.ts";
import { type Locale, LOCALE_NAMES, LOCALES } from "#lib/i18n/locales.ts";
import {
  requestEmailChangeAction,
  changeLanguageAction,
  changeNameAction,
  changeTimeZoneAction,
  cancelEmailChangeAction,
  removeAvatarAction,
  resendVerificationAction,
} from "./actions.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator("account"))("title") };
}

export default definePage(async function Profile({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const [{ account }, query] = await Promise.all([loadPageData(showOwnAccount), searchParams]);
  const { avatar } = query;
  const t = await getTranslator("account");
  return (
    <div className="grid gap-6">
      <AccountHeader current="profile" />
      <CompletedActionNotice after={query.after} messages={buildDoneMessages(t)} />
      <div className="grid max-w-2xl gap-6">
        <NameForm name={account.user.name} />
        <LanguagePreferenceForm chosen={account.locale} />
        <TimeZoneForm chosen={account.timeZone} />
        <EmailSection {...account} email={account.user.email} waiting={account.emailChange} />
        <AvatarSection user={account.user} outcome={typeof avatar === "string" ? avatar : undefined} />
        <p className="text-sm text-muted">
          {t.rich("made", { time: () => <Time key="made" value={account.createdAt} show="date" /> })}
        </p>
      </div>
    </div>
  );
});

const buildDoneMessages = (t: Translator<"account">) => ({
  "email-requested": t("done.email-requested"),
  "email-same": t("done.email-same"),
  "email-unchanged": t("done.email-unchanged"),
  "email-link": t("done.email-link"),
  language: t("languageSaved"),
  zone: t("zoneSaved"),
});

function NameForm({ name }: { name: string }) {
  const t = useTranslator("account");
  return (
    <Card title={t("nameTitle")}>
      <Form action={changeNameAction} label={t("name")}>
        <TextField
          name="name"
          label={t("name")}
          hint={t("nameHint")}
          defaultValue={name}
          maxLength={MAX_PERSON_NAME_LENGTH}
          autoComplete="name"
          required
        />
        <FormActions>
          <SubmitButton pendingLabel={t("saving")}>{t("saveName")}</SubmitButton>
        </FormActions>
      </Form>
    </Card>
  );
}

/** Saved in the account, so that it applies on every device and to mail. */
function LanguagePreferenceForm({ chosen }: { chosen: Locale | null }) {
  const t = useTranslator("account");
  return (
    <Card title={t("language")} id="language">
      <Form action={changeLanguageAction} label={t("language")}>
        <SelectField
          name="locale"
          label={t("languageLabel")}
          hint={t("languageHint")}
          prompt={t("languageAuto")}
          options={LOCALES.map((value) => ({ value, label: LOCALE_NAMES[value] }))}
          defaultValue={chosen ?? ""}
          markOptional={false}
        />
        <FormActions>
          <SubmitButton pendingLabel={t("saving")}>{t("languageSave")}</SubmitButton>
        </FormActions>
      </Form>
    </Card>
  );
}

/** Saved in the account like the language. */
function TimeZoneForm({ chosen }: { chosen: string | null }) {
  const t = useTranslator("account");
  return (
    <Card title={t("zone")} id="zone">
      <Form action={changeTimeZoneAction} label={t("zone")}>
        <TimeZoneField hint={t("zoneHint")} defaultValue={chosen ?? ""} markOptional={false} />
        <FormActions>
          <SubmitButton pendingLabel={t("saving")}>{t("zoneSave")}</SubmitButton>
        </FormActions>
      </Form>
    </Card>
  );
}

type EmailProps = {
  email: string;
  emailVerified: boolean;
  waiting: { newEmail: string; expiresAt: string } | null;
};

function EmailSection({ email, emailVerified, waiting }: EmailProps) {
  const t = useTranslator("account");
  return (
    <Card title={t("email")} id="email">
      <div className="grid gap-6">
        <p>
          {t.rich("emailNow", {
            email,
            b: (chunks) => (
              <strong key="email" className="wrap-anywhere">
                <bdi>{chunks}</bdi>
              </strong>
            ),
          })}
        </p>
        {!emailVerified && <UnverifiedEmail />}
        {waiting && <PendingEmailChange {...waiting} />}
        <EmailChangeForm />
      </div>
    </Card>
  );
}

function UnverifiedEmail() {
  const t = useTranslator("account");
  return (
    <Notice kind="warning" className="[&>div]:grow">
      <p>{t("emailUnverified")}</p>
      <Form action={resendVerificationAction} label={t("resendLink")} className="mt-2">
        <FormActions>
          <SubmitButton variant="secondary" pendingLabel={t("sending")}>
            {t("resendLink")}
          </SubmitButton>
        </FormActions>
      </Form>
    </Notice>
  );
}

function EmailChangeForm() {
  const t = useTranslator("account");
  return (
    <Form action={requestEmailChangeAction} label={t("email")}>
      <TextField
        name="email"
        type="email"
        label={t("newAddress")}
        hint={t("newAddressHint")}
        autoComplete="email"
        required
      />
      <TextField
        name="currentPassword"
        type="password"
        label={t("yourPassword")}
        autoComplete="current-password"
        required
      />
      <FormActions>
        <SubmitButton pendingLabel={t("sending")}>{t("changeAddress")}</SubmitButton>
      </FormActions>
    </Form>
  );
}

function PendingEmailChange({ newEmail, expiresAt }: NonNullable<EmailProps["waiting"]>) {
  const t = useTranslator("account");
  return (
    <Notice title={t("waiting")} className="[&>div]:grow">
      <p>
        {t.rich("waitingText", {
          email: newEmail,
          b: (chunks) => (
            <bdi key="email" className="wrap-anywhere">
              {chunks}
            </bdi>
          ),
          time: () => <Time key="until" value={expiresAt} />,
        })}
      </p>
      <Form action={cancelEmailChangeAction} label={t("takeBack")} className="mt-2">
        <FormActions>
          <SubmitButton variant="secondary" pendingLabel={t("oneMoment")}>
            {t("keepAddress")}
          </SubmitButton>
        </FormActions>
      </Form>
    </Notice>
  );
}

type AvatarUser = { name: string; avatarUrl: string | null };

function AvatarSection({ user, outcome }: { user: AvatarUser; outcome: string | undefined }) {
  const t = useTranslator("account");
  const doneMessages = { saved: t("picture.saved"), removed: t("picture.removed") };
  const done = outcome !== undefined && Object.hasOwn(doneMessages, outcome);
  const error = outcome === undefined || done ? undefined : t(getPictureProblemKey(outcome));
  return (
    <Card title={t("picture")} id="picture">
      <div className="grid gap-5">
        {done && <CompletedActionNotice after={outcome} messages={doneMessages} />}
        <Avatar name={user.name} src={user.avatarUrl} size="large" />
        <AvatarUploadForm user={user} error={error} />
        {user.avatarUrl && <AvatarRemovalForm />}
      </div>
    </Card>
  );
}

/** A plain form that posts to its own route: a file is too large for a server action. */
function AvatarUploadForm({ user, error }: { user: AvatarUser; error: string | undefined }) {
  const t = useTranslator("account");
  return (
    <form
      method="post"
      action="/account/avatar"
      encType="multipart/form-data"
      aria-label={t("picture")}
      className="grid gap-5"
    >
      <FormErrors formId="avatar" state={error ? { ok: false, error } : INITIAL_FORM_STATE} autoFocus />
      <FileField
        name="avatar"
        label={user.avatarUrl ? t("anotherPicture") : t("picture")}
        hint={t("pictureHint")}
        accept="image/png,image/jpeg,image/webp"
        error={error}
        required
      />
      <FormActions>
        <Button type="submit" icon="upload">
          {t("savePicture")}
        </Button>
      </FormActions>
    </form>
  );
}

function AvatarRemovalForm() {
  const t = useTranslator("account");
  return (
    <Form action={removeAvatarAction} label={t("removeThePicture")}>
      <FormActions>
        <SubmitButton variant="quiet" pendingLabel={t("removing")}>
          {t("removePicture")}
        </SubmitButton>
      </FormActions>
    </Form>
  );
}

const PICTURE_PROBLEMS = [
  "VALIDATION_ERROR",
  "PAYLOAD_TOO_LARGE",
  "IMAGE_TOO_LARGE",
  "UNSUPPORTED_FILE_TYPE",
  "RATE_LIMITED",
  "STORAGE_UNAVAILABLE",
] as const;

function getPictureProblemKey(code: string) {
  const knownProblem = PICTURE_PROBLEMS.find((one) => one === code);
  return knownProblem ? (`picture.${knownProblem}` as const) : "picture.failed";
}
