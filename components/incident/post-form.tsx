"use client";

import { type ReactNode, useEffect, useId, useRef } from "react";
import { FormContext } from "#components/ui/form-context.ts";
import { FormErrors } from "#components/ui/form-errors.tsx";
import { type FormState, isRefused, INITIAL_FORM_STATE } from "#lib/design/form-state.ts";

type Props = {
  /** A route next to the page that responds with a file or a redirect. */
  action: string;
  label: string;
  hidden: Record<string, string>;
  /** State of the form after a refusal. */
  returned: FormState | null;
  children: ReactNode;
};

/**
 * A form that the browser posts itself, with script and without; after a refusal it shows the submitted text
 * again.
 */
export function PostForm({ label, hidden, returned, children, ...form }: Props) {
  const id = useId();
  const state = returned ?? INITIAL_FORM_STATE;
  const errors = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isRefused(state)) errors.current?.focus();
  }, [state]);
  return (
    <FormContext value={{ id, state, pending: false }}>
      <form {...form} method="post" noValidate aria-label={label} className="grid gap-4">
        {Object.entries(hidden).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <FormErrors ref={errors} autoFocus formId={id} state={state} />
        {children}
      </form>
    </FormContext>
  );
}
