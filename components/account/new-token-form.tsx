import type { ComponentProps } from "react";
import { useTranslator } from "#i18n";
import { NewTokenCopyField } from "#components/account/new-token-field.tsx";
import { ReauthenticationFields } from "#components/account/reauthentication.tsx";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import { RadioGroup, SelectField, TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { MAX_API_TOKEN_LIFETIME_DAYS, MAX_TOKEN_NAME_LENGTH } from "#lib/accounts/schema.ts";

type Option = { value: string; label: string; hint?: string };

type Props = Pick<ComponentProps<typeof Form>, "action" | "hidden"> & {
  label: string;
  scopes: readonly Option[];
  defaultScope: string;
  /** The events, and for a person the organizations, that the token can be limited to. */
  places: readonly Option[];
  /** Label of the choice that limits the token to no event or organization. */
  everywhere: string;
};

/** Creates a token of a person or an organization, and shows it once. */
export function NewTokenForm({ action, hidden, label, scopes, defaultScope, places, everywhere }: Props) {
  const t = useTranslator("account");
  return (
    <Form action={action} {...(hidden && { hidden })} label={label} resetOnSuccess>
      <ClientMessagesProvider of={["factor"]}>
        <NewTokenCopyField />
      </ClientMessagesProvider>
      <TextField
        name="name"
        label={t("name")}
        hint={t("tokenNameHint")}
        maxLength={MAX_TOKEN_NAME_LENGTH}
        autoComplete="off"
        required
      />
      <RadioGroup name="scope" label={t("scope")} options={scopes} defaultValue={defaultScope} required />
      <SelectField
        name="eventId"
        label={t("where")}
        prompt={everywhere}
        options={places}
        markOptional={false}
      />
      <TextField
        name="expiresInDays"
        type="number"
        label={t("days")}
        hint={t("daysHint", { max: MAX_API_TOKEN_LIFETIME_DAYS })}
        min={1}
        max={MAX_API_TOKEN_LIFETIME_DAYS}
        defaultValue="90"
        required
      />
      <ReauthenticationFields withCode={false} />
      <FormActions>
        <SubmitButton pendingLabel={t("makingToken")}>{t("makeToken")}</SubmitButton>
      </FormActions>
    </Form>
  );
}
