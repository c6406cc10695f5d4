"use client";

import { useRouter } from "next/navigation";
import { type ChangeEvent, type FormEvent, useId, useState } from "react";
import { useTranslator } from "#i18n";
import { Button } from "#components/ui/button.tsx";
import { Checkbox, FileField, TextField } from "#components/ui/field.tsx";
import { FormContext } from "#components/ui/form-context.ts";
import { FormErrors } from "#components/ui/form-errors.tsx";
import { useErrorFocus } from "#components/ui/use-error-focus.ts";
import { FormSuccess } from "#components/ui/form-success.tsx";
import { useHydrated } from "#components/ui/use-hydrated.ts";
import { type FormState, collectRestorableFormValues, INITIAL_FORM_STATE } from "#lib/design/form-state.ts";
import {
  ChosenFileList,
  type ChosenFilesState,
  type ChosenFileLimits,
  useFilesProblemFinder,
  useChosenFiles,
} from "./chosen-files.tsx";

type Props = {
  /** Where the form posts: a route next to the page. */
  sendTo: string;
  /** Identifies the form's writer when the form is posted without script (`sealWriterIdAsFormTicket`). */
  ticket: string;
  /** State of a form that was posted without script and refused. */
  returned: FormState | null;
  limits: ChosenFileLimits & { description: number };
  /** Only the team decides whether the reporter sees a file. */
  mayShare: boolean;
};

/**
 * Form to add files to an incident. With script, the page stays and keeps the chosen files after an error.
 */
export function AddFilesForm(props: Props) {
  const t = useTranslator("incidentClient");
  const id = useId();
  const files = useChosenFiles();
  const { state, pending, send } = useFileSubmission(props, files);
  const errors = useErrorFocus(state);

  return (
    <FormContext value={{ id, state, pending }}>
      <form
        action={props.sendTo}
        method="post"
        encType="multipart/form-data"
        autoComplete="off"
        noValidate
        aria-label={t("addFiles")}
        onSubmit={send}
        onChange={(event: ChangeEvent<HTMLFormElement>) => addPickedFiles(event.target, files.add)}
        className="grid gap-4"
      >
        <input type="hidden" name="ticket" value={props.ticket} />
        <FormErrors ref={errors} autoFocus formId={id} state={state} />
        <FormSuccess state={state} />
        <FileFields limits={props.limits} mayShare={props.mayShare} />
        <ChosenFileList files={files} limits={props.limits} />
        <div>
          <Button type="submit" pending={pending}>
            {t(pending ? "addingFiles" : "addFiles")}
          </Button>
        </div>
      </form>
    </FormContext>
  );
}

function addPickedFiles(target: EventTarget, add: (input: HTMLInputElement) => void): void {
  if (target instanceof HTMLInputElement && target.type === "file") add(target);
}

/** Sends the files, and reloads the page's data once they are there. */
function useFileSubmission({ sendTo, returned, limits }: Props, files: ChosenFilesState) {
  const t = useTranslator("incidentClient");
  const router = useRouter();
  const [state, setState] = useState<FormState>(returned ?? INITIAL_FORM_STATE);
  const [pending, setPending] = useState(false);
  const findFilesProblem = useFilesProblemFinder(limits);

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (pending) return;
    const form = event.currentTarget;
    const data = new FormData(form);
    const chosen = [...files.chosen, ...readPickedFiles(data)];
    const values = collectRestorableFormValues(data);
    const clientProblem = chosen.length === 0 ? t("chooseFile") : findFilesProblem(chosen);
    if (clientProblem) return setState({ ok: false, fieldErrors: { relatedFiles: clientProblem }, values });
    data.delete("relatedFiles");
    for (const file of chosen) data.append("relatedFiles", file);
    setPending(true);
    const result = (await uploadFiles(sendTo, data)) ?? { ok: false, error: t("filesBroken") };
    setPending(false);
    if (!result.ok) return setState({ ...result, values });
    setState({ ok: true, message: t("filesThere", { count: chosen.length }) });
    for (const file of chosen) files.remove(file);
    form.reset();
    router.refresh();
  }

  return { state, pending, send };
}

function FileFields({ limits, mayShare }: Pick<Props, "limits" | "mayShare">) {
  const t = useTranslator("incidentClient");
  const scripted = useHydrated();
  return (
    <>
      <TextField
        name="description"
        label={t("whatTheyShow")}
        hint={t("whatTheyShowHint")}
        maxLength={limits.description}
        count
        autoComplete="off"
      />
      {mayShare && (
        <Checkbox name="visibleToReporter" value="true" label={t("mayShare")} hint={t("mayShareHint")} />
      )}
      <FileField
        name="relatedFiles"
        label={t("kindsOfFiles")}
        hint={t("fileLimits", {
          count: limits.count,
          each: limits.bytesEach / 1024 / 1024,
          total: limits.bytesTotal / 1024 / 1024,
        })}
        multiple
        required
        button={scripted ? t("pickFiles") : undefined}
      />
    </>
  );
}

const readPickedFiles = (data: FormData): File[] =>
  data.getAll("relatedFiles").filter((value): value is File => value instanceof File && value.name !== "");

/** @returns the state of the form; null if there was no response of ours */
async function uploadFiles(sendTo: string, body: FormData): Promise<FormState | null> {
  try {
    const response = await fetch(sendTo, { method: "POST", body, headers: { Accept: "application/json" } });
    const state = (await response.json()) as FormState;
    return typeof state.ok === "boolean" ? state : null;
  } catch {
    return null;
  }
}
