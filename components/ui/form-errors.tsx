"use client";

import { CircleAlert } from "lucide-react";
import type { Ref } from "react";
import { fieldId } from "./form-context.ts";
import { Icon } from "./icon.tsx";

type Props = {
  /** Id of the form, which begins the ids of its fields. */
  formId: string;
  error?: string;
  fieldErrors?: Record<string, string>;
  /** Takes the focus as the page arrives, for a form that was posted without script. */
  autoFocus?: boolean;
  ref?: Ref<HTMLDivElement>;
};

/** What is wrong, at the top of a form, with links to the fields. Takes the focus after a refused submit. */
export function FormErrors({ formId, error, fieldErrors = {}, autoFocus, ref }: Props) {
  const fields = Object.entries(fieldErrors);
  if (!error && fields.length === 0) return null;
  return (
    <div
      ref={ref}
      role="alert"
      tabIndex={-1}
      autoFocus={autoFocus}
      className="flex gap-3 rounded-surface border-2 border-danger bg-danger-soft p-4"
    >
      <Icon as={CircleAlert} className="mt-0.5 text-danger" />
      <div className="grid min-w-0 gap-1">
        <p className="font-[650]">{error ?? "Some answers need another look"}</p>
        {fields.length > 0 && (
          <ul className="grid">
            {fields.map(([name, message]) => (
              <li key={name}>
                <a
                  href={`#${fieldId(formId, name)}`}
                  className="inline-flex min-h-11 items-center text-danger underline underline-offset-3 hover:text-danger-hover hover:decoration-2"
                >
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
