"use client";

import type { MouseEvent, Ref } from "react";
import { useTranslator } from "#i18n";
import { circleExclamationPointIcon } from "#lib/design/icons.ts";
import { type FormState, isFormSubmissionRejected } from "#lib/design/form-state.ts";
import { buildFieldId } from "./form-context.ts";
import { IconWithoutScript } from "./icon-without-script.tsx";

type Props = {
  /** Id of the form, which prefixes the ids of its fields. */
  formId: string;
  state: FormState;
  /** Takes the focus when the page loads, for a form that was posted without script. */
  autoFocus?: boolean;
  ref?: Ref<HTMLDivElement>;
};

/**
 * The error summary at the top of a refused form, with links to the fields; renders nothing without errors.
 */
export function FormErrors({ formId, state, autoFocus, ref }: Props) {
  const t = useTranslator("ui");
  if (!isFormSubmissionRejected(state)) return null;
  const { error, fieldErrors = {}, signedOut } = state;
  const refreshHref = signedOut ? "/login?next=%2Fsigned-in" : state.incidentPath;
  const fields = Object.entries(fieldErrors);
  return (
    <div
      ref={ref}
      role="alert"
      tabIndex={-1}
      autoFocus={autoFocus}
      className="flex gap-3 rounded-surface border-2 border-danger bg-danger-soft p-4"
    >
      <IconWithoutScript of={circleExclamationPointIcon} className="mt-0.5 text-danger" />
      <div className="grid min-w-0 gap-1">
        <p className="font-[650]">{error ?? t("errorSummary")}</p>
        {refreshHref && (
          <a href={refreshHref} target="_blank" rel="noopener" className={LINK_CLASS}>
            {t(signedOut ? "signInNewTab" : "viewReportNewTab")}
          </a>
        )}
        {fields.length > 0 && (
          <ul className="grid">
            {fields.map(([name, message]) => (
              <li key={name}>
                <a href={`#${buildFieldId(formId, name)}`} onClick={focusLinkedField} className={LINK_CLASS}>
                  {message}
                </a>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

/**
 * Focuses the field with script and shows it whole, without adding a history entry; otherwise "Back" would go from
 * field to field.
 */
function focusLinkedField(event: MouseEvent<HTMLAnchorElement>): void {
  const field = document.getElementById(event.currentTarget.hash.slice(1));
  if (!field) return;
  event.preventDefault();
  field.focus();
  // The browser leaves a field that is partly in view where it is, even if the quick exit covers the rest.
  field.scrollIntoView({ block: "nearest" });
}

const LINK_CLASS =
  "inline-flex min-h-11 items-center text-danger underline underline-offset-3 hover:text-danger-hover hover:decoration-2";
