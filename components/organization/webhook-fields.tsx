import { useWords } from "#words";
import { CheckboxGroup, TextField } from "#components/ui/field.tsx";
import { env } from "#lib/env.ts";
import { FACTS } from "#lib/outbox/events.ts";
import { MAX_URL, MAX_WEBHOOK_DESCRIPTION } from "#lib/webhooks/schema.ts";
import { useHappening } from "./webhook-words.ts";

const EXAMPLE = "https://hooks.example.org/heed";

type Props = { webhook?: { url: string; kinds: readonly string[]; description: string | null } };

/** Where a webhook leads, what it is told, and what it is for. */
export function WebhookFields({ webhook }: Props) {
  const t = useWords("webhooks");
  const happening = useHappening();
  return (
    <>
      <TextField
        name="url"
        type="url"
        label={t("url")}
        hint={t(env().WEBHOOK_PRIVATE_TARGETS ? "url.anywhere" : "url.about")}
        placeholder={EXAMPLE}
        defaultValue={webhook?.url}
        maxLength={MAX_URL}
        autoComplete="off"
        spellCheck={false}
        required
      />
      <CheckboxGroup
        name="kinds"
        label={t("kinds")}
        hint={t("kinds.about")}
        options={FACTS.map((value) => ({ value, label: happening(value) }))}
        defaultValue={webhook?.kinds ?? ["incident.created", "incident.state"]}
        required
      />
      <TextField
        name="description"
        label={t("description")}
        hint={t("description.about")}
        defaultValue={webhook?.description ?? undefined}
        maxLength={MAX_WEBHOOK_DESCRIPTION}
        autoComplete="off"
      />
    </>
  );
}
