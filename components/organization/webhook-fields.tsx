import { useTranslator } from "#i18n";
import { CheckboxGroup, TextField } from "#components/ui/field.tsx";
import { env } from "#lib/env.ts";
import { PUBLISHED_CHANGE_KINDS } from "#lib/jobs/outbox-events.ts";
import { MAX_WEBHOOK_URL_LENGTH, MAX_WEBHOOK_DESCRIPTION_LENGTH } from "#lib/webhooks/schema.ts";
import { useWebhookKindFormatter } from "./webhook-text.ts";

const EXAMPLE_URL = "https://hooks.example.org/heed";

type Props = { webhook?: { url: string; kinds: readonly string[]; description: string | null } };

/** A webhook's URL, kinds and description. */
export function WebhookFields({ webhook }: Props) {
  const t = useTranslator("webhooks");
  const kindLabel = useWebhookKindFormatter();
  return (
    <>
      <TextField
        name="url"
        type="url"
        label={t("url")}
        hint={t(env().WEBHOOK_PRIVATE_TARGETS ? "url.anywhere" : "url.about")}
        placeholder={EXAMPLE_URL}
        defaultValue={webhook?.url}
        maxLength={MAX_WEBHOOK_URL_LENGTH}
        autoComplete="off"
        spellCheck={false}
        required
      />
      <CheckboxGroup
        name="kinds"
        label={t("kinds")}
        hint={t("kinds.about")}
        options={PUBLISHED_CHANGE_KINDS.map((value) => ({ value, label: kindLabel(value) }))}
        defaultValue={webhook?.kinds ?? ["incident.created", "incident.state"]}
        required
      />
      <TextField
        name="description"
        label={t("description")}
        hint={t("description.about")}
        defaultValue={webhook?.description ?? undefined}
        maxLength={MAX_WEBHOOK_DESCRIPTION_LENGTH}
        autoComplete="off"
      />
    </>
  );
}
