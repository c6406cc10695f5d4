import { isFormSubmissionRejected, type FormState } from "#lib/design/form-state.ts";
import { createTranslatorForLocale } from "#lib/i18n/catalogue.ts";
import { getTextDirection, type Locale } from "#lib/i18n/locales.ts";
import { escapeHtml } from "#lib/mail/messages.ts";
import type { AppError } from "#lib/operation/errors.ts";

/**
 * The response to a form that was refused without script and isn't stored (docs/decisions/029): a page that shows
 * all text of the form, with a button that sends it again. So no text is lost, and none is stored.
 */

type UnsentForm = {
  locale: Locale;
  /** The errors of the form and of its fields. */
  state: FormState;
  /** The error for a form that has none of its own. */
  problem: string;
  /** The texts that its writer can change, by name, with their labels. */
  labels: Record<string, string>;
  /** Everything that the form sent. */
  values: Record<string, string>;
  /** That of the response, where the service could have stored the form: why it was refused. */
  status?: number | undefined;
};

/**
 * Creates the response that shows what was written in a form that couldn't be sent.
 * @param refusal why the form was refused; the status is 429 for a rate limit, else that of the form, or 503
 */
export function createUnsentFormPageResponse(
  request: Request,
  form: UnsentForm,
  refusal?: Pick<AppError, "code" | "headers">,
): Response {
  const isLimited = refusal?.code === "RATE_LIMITED";
  return new Response(renderUnsentForm(form, findPlace(request)), {
    status: isLimited ? 429 : (form.status ?? 503),
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
      "Retry-After": (isLimited && refusal.headers["Retry-After"]) || "5",
    },
  });
}

/** `action`: the URL of the form. `nonce`: of the content security policy, for the style of the page. */
type Place = { action: string; nonce: string };

function findPlace(request: Request): Place {
  const { pathname, search } = new URL(request.url);
  const policy = request.headers.get("content-security-policy") ?? "";
  return { action: `${pathname}${search}`, nonce: /'nonce-([^']+)'/.exec(policy)?.[1] ?? "" };
}

function renderUnsentForm(form: UnsentForm, { action, nonce }: Place): string {
  const { locale, state, problem } = form;
  const t = createTranslatorForLocale(locale, "formErrors");
  const title = escapeHtml(t("unsentTitle"));
  const problems = [
    (isFormSubmissionRejected(state) && state.error) || problem,
    ...Object.values((isFormSubmissionRejected(state) && state.fieldErrors) || {}),
  ];
  return `<!doctype html>
<html lang="${locale}" dir="${getTextDirection(locale)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>Heed</title><style nonce="${escapeHtml(nonce)}">${STYLE}</style></head><body><main>
<h1>${title}</h1>
<div role="alert">${problems.map((text) => `<p>${escapeHtml(text)}</p>`).join("")}</div>
<p>${escapeHtml(t("unsentAdvice"))}</p>
<form method="post" enctype="multipart/form-data" action="${escapeHtml(action)}">
${renderFields(form)}
<button>${escapeHtml(t("unsentSend"))}</button>
</form>
</main></body></html>
`;
}

/** The ticket comes first, as in the form: it says whose the form is. */
function renderFields({ labels, values }: UnsentForm): string {
  const names = Object.keys(values).toSorted((a, b) => Number(b === "ticket") - Number(a === "ticket"));
  return names
    .map((name) => {
      const [field, value, label] = [name, values[name] ?? "", labels[name] ?? ""].map(escapeHtml);
      if (!Object.hasOwn(labels, name)) return `<input type="hidden" name="${field}" value="${value}">`;
      // A browser drops the first line break of a text area.
      return `<label>${label}<textarea name="${field}" rows="${rowsFor(values[name] ?? "")}">\n${value}</textarea></label>`;
    })
    .join("\n");
}

const rowsFor = (text: string): number => Math.min(20, 2 + Math.ceil(text.length / 60));

const STYLE = `body{font:1.0625rem/1.5 system-ui,sans-serif;margin:0}
main{max-width:40rem;margin:auto;padding:1rem}
form,label{display:grid;gap:.75rem}
label{gap:.25rem;font-weight:600}
textarea,button{font:inherit;padding:.5rem;box-sizing:border-box;width:100%;min-height:2.75rem}
[role=alert]{border-inline-start:.25rem solid;padding-inline-start:.75rem}`;
