import { useEffectEvent, useLayoutEffect } from "react";
import { collectRestorableFormValues } from "#lib/design/form-state.ts";
import { takeHandedOverDraft, writeStoredReportDraft } from "./traces.ts";

type FormText = {
  /** Name of the form's text in the tab's storage. */
  name: string;
  findForm: () => HTMLFormElement | null;
  restore: (values: Record<string, string>) => void;
};

/**
 * Keeps a form's text in the tab while a change of language reloads the page, as the report form does: in a layout
 * effect, which lets no press come between script's taking the page over and the listener.
 */
export function useTextAcrossLanguages({ name, ...form }: FormText): void {
  const restore = useEffectEvent(form.restore);
  const findForm = useEffectEvent(form.findForm);
  useLayoutEffect(() => {
    const draft = takeHandedOverDraft(name);
    if (draft) restore(draft.values);
    const keep = ({ target }: SubmitEvent) => {
      const element = findForm();
      if (!element || !(target instanceof HTMLFormElement)) return;
      if (new URL(target.action).pathname !== "/language") return;
      const values = collectRestorableFormValues(new FormData(element));
      writeStoredReportDraft(name, { values }, "sessionStorage");
    };
    document.addEventListener("submit", keep);
    return () => document.removeEventListener("submit", keep);
  }, [name]);
}
