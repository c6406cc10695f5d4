import { useTranslator } from "#i18n";
import { Badge } from "#components/ui/badge.tsx";
import { Card } from "#components/ui/card.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Form, SubmitButton } from "#components/ui/form.tsx";
import { type TableColumn, Table } from "#components/ui/table.tsx";
import { Time } from "#components/ui/time.tsx";
import type { FormState } from "#lib/design/form-state.ts";
import { useWebhookKindFormatter } from "./webhook-text.ts";

type Delivery = {
  id: string;
  kind: string;
  payload: Record<string, string | null>;
  state: "waiting" | "delivered" | "failed";
  attempts: number;
  responseStatus: number | null;
  failure: string | null;
  durationMs: number | null;
  createdAt: string;
  attemptedAt: string | null;
};

type RedeliveryForm = {
  action: (state: FormState, form: FormData) => Promise<FormState>;
  hidden: Record<string, string>;
};

type Props = {
  deliveries: readonly Delivery[];
  /** How to resend a delivery; null while the webhook is disabled. */
  again: RedeliveryForm | null;
  now: Date;
};

/** The messages sent to a webhook, newest first, with the results. */
export function WebhookDeliveryList({ deliveries, again, now }: Props) {
  const t = useTranslator("webhooks");
  if (deliveries.length === 0)
    return (
      <EmptyState icon="send" title={t("deliveries.none")}>
        <p>{t("deliveries.none.about")}</p>
      </EmptyState>
    );
  return (
    <Card padded={false}>
      <Table
        caption={t("deliveries.caption")}
        columns={useColumns(again, now)}
        rows={deliveries}
        rowKey={({ id }) => id}
      />
    </Card>
  );
}

function useColumns(again: RedeliveryForm | null, now: Date): TableColumn<Delivery>[] {
  const t = useTranslator("webhooks");
  const kindLabel = useWebhookKindFormatter();
  return [
    {
      key: "kind",
      header: t("what"),
      rowHeader: true,
      cell: (delivery) => (
        <>
          <span className="block">{kindLabel(delivery.kind)}</span>
          <DeliveryPayload delivery={delivery} />
        </>
      ),
    },
    { key: "state", header: t("state"), cell: ({ state }) => <DeliveryState state={state} /> },
    { key: "answer", header: t("answer"), cell: (delivery) => <DeliveryResponse delivery={delivery} /> },
    { key: "attempts", header: t("attempts"), align: "end", cell: ({ attempts }) => attempts },
    {
      key: "at",
      header: t("when"),
      align: "end",
      cell: ({ createdAt }) => <Time value={createdAt} now={now} />,
    },
    ...(again
      ? [
          {
            key: "again",
            header: t("again"),
            cell: (delivery: Delivery) => <RedeliverButton delivery={delivery} again={again} />,
          },
        ]
      : []),
  ];
}

const TONES = { waiting: "neutral", delivered: "positive", failed: "danger" } as const;

function DeliveryState({ state }: { state: Delivery["state"] }) {
  const t = useTranslator("webhooks");
  return <Badge tone={TONES[state]}>{t(`delivery.${state}`)}</Badge>;
}

/** Failure reasons set by sending.ts and deliveries.ts. */
const KNOWN_FAILURES = [
  "timeout",
  "refused",
  "unknown-name",
  "certificate",
  "private-address",
  "not-https",
  "redirect",
  "connection",
  "disabled",
] as const;

/** The receiver's response, or why there was none. */
function DeliveryResponse({
  delivery: { responseStatus, failure, durationMs, attemptedAt },
}: {
  delivery: Delivery;
}) {
  const t = useTranslator("webhooks");
  const reason = KNOWN_FAILURES.find((one) => one === failure);
  if (!attemptedAt && !failure) return <span className="text-muted">{t("notYet")}</span>;
  return (
    <span className="grid gap-0.5">
      {responseStatus !== null && (
        <span className="tabular-nums">{t("status", { status: String(responseStatus) })}</span>
      )}
      {failure && <span>{reason ? t(`failure.${reason}`) : failure}</span>}
      {durationMs !== null && (
        <span className="text-sm text-muted tabular-nums">{t("duration", { count: durationMs })}</span>
      )}
    </span>
  );
}

/** The payload as it was sent: ids and a status. */
function DeliveryPayload({ delivery: { id, payload } }: { delivery: Delivery }) {
  const t = useTranslator("webhooks");
  return (
    <Disclosure summary={<span className="text-sm">{t("body")}</span>}>
      <pre
        dir="ltr"
        className="rounded-control bg-sunken p-3 text-start text-sm font-normal wrap-anywhere whitespace-pre-wrap"
      >
        {JSON.stringify({ id, ...payload }, null, 2)}
      </pre>
    </Disclosure>
  );
}

function RedeliverButton({
  delivery: { id, kind },
  again: { action, hidden },
}: {
  delivery: Delivery;
  again: RedeliveryForm;
}) {
  const t = useTranslator("webhooks");
  const kindLabel = useWebhookKindFormatter();
  return (
    <Form action={action} hidden={{ ...hidden, deliveryId: id }} className="!gap-2">
      <SubmitButton
        variant="secondary"
        pendingLabel={t("test.pending")}
        aria-label={t("again.which", { what: kindLabel(kind) })}
      >
        {t("again.do")}
      </SubmitButton>
    </Form>
  );
}
