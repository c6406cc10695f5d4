"use client";

import { type FormEvent, type ReactNode, useId, useRef, useState } from "react";
import { useTranslator } from "#i18n";
import { useTextAcrossLanguages } from "#components/incident/text-across-languages.ts";
import { FormContext } from "#components/ui/form-context.ts";
import { FormErrors } from "#components/ui/form-errors.tsx";
import { HiddenInputs } from "#components/ui/hidden-inputs.tsx";
import { useErrorFocus } from "#components/ui/use-error-focus.ts";
import { type FormState, collectRestorableFormValues, INITIAL_FORM_STATE } from "#lib/design/form-state.ts";

type Props = {
  /** Id by which buttons and fields elsewhere in the page belong to the form. */
  id: string;
  /** The route that takes the form, with a token of `createUploadFormUrlToken`. */
  action: string;
  label: string;
  /** Names the place without its id: a form is refused when another has been opened (lib/http/opened-tag.ts). */
  opened: string;
  hidden: Record<string, string>;
  /** State of the form after a refusal. */
  returned: FormState | null;
  children: ReactNode;
};

/**
 * The form of a mailbox: a text, and files. Without script the browser posts it. With script the page
 * keeps its content until there is a response.
 */
export function MailboxMessageForm({ label, opened, hidden, returned, children, ...form }: Props) {
  const id = useId();
  const element = useRef<HTMLFormElement>(null);
  const { state, setState, pending, send } = useSubmission(form.action, returned);
  useTextAcrossLanguages({
    name: `${form.id} ${opened}`,
    findForm: () => element.current,
    restore: (values) => setState({ ok: false, values }),
  });
  const errors = useErrorFocus(state);
  return (
    <FormContext value={{ id, state, pending }}>
      <form
        {...form}
        ref={element}
        // Browsers put back what was typed into a form only if its name and the names of its fields are the same.
        name={`opened-${opened}`}
        method="post"
        encType="multipart/form-data"
        noValidate
        aria-label={label}
        onSubmit={send}
        className="grid gap-4"
      >
        <input type="hidden" name={`opened-${opened}`} />
        <input type="hidden" name="opened" value={opened} />
        <HiddenInputs values={hidden} />
        <FormErrors ref={errors} autoFocus formId={id} state={state} />
        {children}
      </form>
    </FormContext>
  );
}

function useSubmission(action: string, returned: FormState | null) {
  const t = useTranslator("ui");
  const [state, setState] = useState(returned ?? INITIAL_FORM_STATE);
  const [pending, setPending] = useState(false);

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (pending) return;
    const form = event.currentTarget;
    const data = new FormData(form, (event.nativeEvent as SubmitEvent).submitter);
    setPending(true);
    const response = await postForm(action, data);
    // The form stays pending until the page leaves.
    if (response && "location" in response) return openPage(response.location, form);
    setPending(false);
    const error = t(navigator.onLine ? "noAnswer" : "offlineUnsent");
    setState(response ?? { ok: false, error, values: collectRestorableFormValues(data) });
  }

  return { state, setState, pending, send };
}

/** @returns the URL to open, or the reason for a refusal; null for a response that isn't the service's own */
async function postForm(action: string, body: FormData): Promise<FormState | { location: string } | null> {
  try {
    const response = await fetch(action, { method: "POST", body, headers: { Accept: "application/json" } });
    const answer = (await response.json()) as FormState | { location: string };
    return "location" in answer || typeof answer.ok === "boolean" ? answer : null;
  } catch {
    return null;
  }
}

/** Reloads a page with the same URL. Clears the sent fields first, since browsers restore fields on a reload. */
function openPage(address: string, form: HTMLFormElement): void {
  const { pathname, search } = new URL(address, location.href);
  const isThisPage = pathname === location.pathname && search === location.search;
  if (isThisPage) form.reset();
  location.assign(address);
  if (isThisPage) location.reload();
}
