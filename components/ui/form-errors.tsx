"use client";

import type { MouseEvent, Ref } from "react";
import { useWords } from "#words";
import { circleExclamationPoint } from "#lib/design/glyphs.ts";
import { type FormState, refused } from "#lib/design/form-state.ts";
import { fieldId } from "./form-context.ts";
import { Glyph } from "./glyph.tsx";

type Props = {
  /** Id of the form, which begins the ids of its fields. */
  formId: string;
  state: FormState;
  /** Takes the focus as the page arrives, for a form that was posted without script. */
  autoFocus?: boolean;
  ref?: Ref<HTMLDivElement>;
};

/** What is wrong, at the top of a refused form, with links to the fields; nothing where nothing is. */
export function FormErrors({ formId, state, autoFocus, ref }: Props) {
  const t = useWords("ui");
  if (!refused(state)) return null;
  const { error, fieldErrors = {}, signedOut } = state;
  const look = signedOut ? "/login?next=%2Fsigned-in" : state.look;
  const fields = Object.entries(fieldErrors);
  return (
    <div
      ref={ref}
      role="alert"
      tabIndex={-1}
      autoFocus={autoFocus}
      className="flex gap-3 rounded-surface border-2 border-danger bg-danger-soft p-4"
    >
      <Glyph of={circleExclamationPoint} className="mt-0.5 text-danger" />
      <div className="grid min-w-0 gap-1">
        <p className="font-[650]">{error ?? t("lookAgain")}</p>
        {look && (
          <a href={look} target="_blank" rel="noopener" className={LINK}>
            {t(signedOut ? "signInNewTab" : "lookNewTab")}
          </a>
        )}
        {fields.length > 0 && (
          <ul className="grid">
            {fields.map(([name, message]) => (
              <li key={name}>
                <a href={`#${fieldId(formId, name)}`} onClick={goToField} className={LINK}>
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

/** With script, without an entry in the history, where "Back" would lead from field to field. */
function goToField(event: MouseEvent<HTMLAnchorElement>): void {
  const field = document.getElementById(event.currentTarget.hash.slice(1));
  if (!field) return;
  event.preventDefault();
  field.focus();
}

const LINK =
  "inline-flex min-h-11 items-center text-danger underline underline-offset-3 hover:text-danger-hover hover:decoration-2";
