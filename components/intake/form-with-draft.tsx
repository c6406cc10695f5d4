"use client";

import { type ComponentProps, useLayoutEffect, useRef, useState } from "react";
import { useReportDraft } from "#components/incident/report-draft.tsx";
import { isFormInUse, useIsTextHiddenAfterSignOut } from "#components/incident/report-guards.ts";
import { readStoredReportDraft } from "#components/incident/traces.ts";
import { Form } from "#components/ui/form.tsx";
import { collectRestorableFormValues } from "#lib/design/form-state.ts";

type Props = ComponentProps<typeof Form> & {
  /** Name of the draft in the tab's storage. */
  draftName: string;
  /** Id of the account that the form was rendered for. */
  writer: string;
};

type Values = Record<string, string>;

/**
 * A form whose text stays in the tab for an hour, as that of a reporter's own report does, with its ticket: a form that
 * is sent again after a lost response, even after a reload, is the same request.
 */
export function FormWithDraft({ draftName, writer, hidden, returned, ...props }: Props) {
  const [restored, setRestored] = useState<Values | null>(null);
  const { note } = useReportDraft(draftName);
  const wrapper = useRef<HTMLDivElement>(null);
  // The page covers itself. This deletes what is stored.
  useIsTextHiddenAfterSignOut(writer);

  const noteValues = () =>
    note(() => ({
      values: collectRestorableFormValues(new FormData(findForm(wrapper.current) ?? undefined)),
      step: "",
    }));
  // A layout effect, so that nothing is typed between the first text and the restored one.
  useLayoutEffect(() => {
    const form = findForm(wrapper.current);
    const stored = returned ? null : readStoredReportDraft(draftName, "sessionStorage");
    if (stored && form) setRestored(addTypedTexts(form, stored.values));
    if (returned || (form && isFormInUse(form))) noteValues();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once, as the page arrives
  }, [draftName]);

  return (
    <div ref={wrapper} className="min-w-0" onInput={noteValues}>
      <Form
        key={restored ? "restored" : "new"}
        {...props}
        hidden={{ ...hidden, ticket: restored?.ticket ?? hidden?.ticket }}
        returned={restored ? { ok: false, values: restored } : returned}
      />
    </div>
  );
}

const findForm = (wrapper: HTMLElement | null) => wrapper?.querySelector("form") ?? null;

/** Adds what was typed before the draft could be restored. */
function addTypedTexts(form: HTMLFormElement, stored: Values): Values {
  const texts = [
    ...form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("textarea, input[type=text]"),
  ];
  const typed = texts.filter(({ value }) => value.trim() !== "");
  return {
    ...stored,
    ...Object.fromEntries(
      typed.map(({ name, value }) => [name, stored[name]?.trim() ? `${stored[name]} ${value}` : value]),
    ),
  };
}
