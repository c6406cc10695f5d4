import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { Card } from "#components/ui/card.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";

/** Explains how a receiver verifies deliveries and which guarantees it has: docs/webhooks.md in short. */
export function WebhookHelp() {
  const t = useTranslator("webhooks");
  const code = (chunks: ReactNode[]) => (
    <code key={chunks.join()} dir="ltr" className="rounded-sm bg-sunken px-1 [overflow-wrap:anywhere]">
      {chunks}
    </code>
  );
  return (
    <Card title={t("help")}>
      <div className="grid max-w-[68ch] grid-cols-1 gap-3">
        <p>{t("help.about")}</p>
        <ol className="grid list-decimal gap-2 ps-5">
          <li>{t.rich("help.headers", { code })}</li>
          <li>{t.rich("help.compute", { code })}</li>
          <li>{t.rich("help.compare", { code })}</li>
          <li>{t("help.repeat")}</li>
        </ol>
        <Disclosure summary={t("help.headersShown")}>
          <Code>{EXAMPLE_HEADERS}</Code>
        </Disclosure>
        <Disclosure summary={t("help.node")}>
          <Code>{NODE_EXAMPLE}</Code>
        </Disclosure>
        <Disclosure summary={t("help.python")}>
          <Code>{PYTHON_EXAMPLE}</Code>
        </Disclosure>
        <p>{t("help.delivery")}</p>
        <p>{t("help.failing")}</p>
      </div>
    </Card>
  );
}

const Code = ({ children }: { children: string }) => (
  <pre
    dir="ltr"
    className="rounded-control bg-sunken p-3 text-start text-sm [overflow-wrap:anywhere] whitespace-pre-wrap"
  >
    <code>{children}</code>
  </pre>
);

const EXAMPLE_HEADERS = `Heed-Webhook-Id: 5f0c9a52-…
Heed-Timestamp: 1795271405
Heed-Signature: v1=<hex>`;

const NODE_EXAMPLE = `import { createHmac, timingSafeEqual } from "node:crypto";

export function isGenuineWebhookRequest(secret, headers, body) {
  const id = headers["heed-webhook-id"];
  const timestamp = headers["heed-timestamp"];
  const given = Buffer.from(headers["heed-signature"].replace(/^v1=/, ""), "hex");
  const expected = createHmac("sha256", secret).update(\`\${id}.\${timestamp}.\${body}\`).digest();
  const fresh = Math.abs(Date.now() / 1000 - Number(timestamp)) < 300;
  return fresh && given.length === expected.length && timingSafeEqual(given, expected);
}`;

const PYTHON_EXAMPLE = `import hashlib, hmac, time

def is_genuine(secret, headers, body):
    signed = f"{headers['Heed-Webhook-Id']}.{headers['Heed-Timestamp']}.".encode() + body
    expected = "v1=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    fresh = abs(time.time() - int(headers["Heed-Timestamp"])) < 300
    return fresh and hmac.compare_digest(expected, headers["Heed-Signature"])`;
