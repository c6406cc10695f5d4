"use client";

import { useRouter } from "next/navigation";
import { type ChangeEvent, type FormEvent, useEffect, useId, useRef, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Checkbox, FileField, TextField } from "#components/ui/field.tsx";
import { FormContext } from "#components/ui/form-context.ts";
import { FormErrors } from "#components/ui/form-errors.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { type FormState, refused, sentValues, UNSENT } from "#lib/design/form-state.ts";
import { ChosenFiles, type FileLimits, problemOfFiles, useFiles } from "./chosen-files.tsx";
import { refusedFiles } from "./refused-files.ts";

type Props = {
  /** Where the form goes without script: a route beside the page. */
  sendTo: string;
  /** Where it goes with script: the API. */
  api: string;
  /** What a form that was sent without script held when it was refused. */
  returned: FormState | null;
  limits: FileLimits & { description: number };
  /** Only the team chooses whether the reporter sees a file. */
  mayShare: boolean;
};

/** Files that come later. With script the page stays and nothing that was chosen is lost. */
export function AddFiles({ sendTo, api, returned, limits, mayShare }: Props) {
  const id = useId();
  const router = useRouter();
  const [state, setState] = useState<FormState>(returned ?? UNSENT);
  const [pending, setPending] = useState(false);
  const files = useFiles();
  const errors = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (refused(state)) errors.current?.focus();
  }, [state]);

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (pending) return;
    const form = event.currentTarget;
    const data = new FormData(form);
    const chosen = [...files.chosen, ...picked(data)];
    const values = sentValues(data);
    const early = chosen.length === 0 ? "Choose a file first." : problemOfFiles(chosen, limits);
    if (early) return setState({ ok: false, fieldErrors: { relatedFiles: early }, values });
    data.delete("relatedFiles");
    for (const file of chosen) data.append("relatedFiles", file);
    setPending(true);
    const refusal = await upload(api, data, values);
    setPending(false);
    setState(
      refusal ?? { ok: true, message: chosen.length === 1 ? "The file is there." : "The files are there." },
    );
    if (refusal) return;
    for (const file of chosen) files.remove(file);
    form.reset();
    router.refresh();
  }

  return (
    <FormContext value={{ id, state, pending }}>
      <form
        action={sendTo}
        method="post"
        encType="multipart/form-data"
        autoComplete="off"
        noValidate
        aria-label="Add files"
        onSubmit={send}
        onChange={(event: ChangeEvent<HTMLFormElement>) => {
          const { target } = event;
          if (target instanceof HTMLInputElement && target.type === "file") files.add(target);
        }}
        className="grid gap-4"
      >
        {refused(state) && (
          <FormErrors
            ref={errors}
            autoFocus
            formId={id}
            error={state.error}
            fieldErrors={state.fieldErrors}
          />
        )}
        {state.ok && state.message && (
          <Notice kind="success" live>
            <p>{state.message}</p>
          </Notice>
        )}
        <TextField
          name="description"
          label="What they show"
          hint="One line; it holds for all that are added together."
          maxLength={limits.description}
          count
          autoComplete="off"
        />
        {mayShare && (
          <Checkbox
            name="visibleToReporter"
            value="true"
            label="The reporter may see them"
            hint="Otherwise they are for the team alone. It can be changed later."
          />
        )}
        <FileField
          name="relatedFiles"
          label="Photos, recordings, documents"
          hint={`Up to ${limits.count} files, ${limits.bytesEach / 1024 / 1024} MiB each, ${limits.bytesTotal / 1024 / 1024} MiB together. Hidden data, such as where a photo was taken, is taken out of what people open, where that can be done.`}
          multiple
          required
        />
        <ChosenFiles files={files} limits={limits} />
        <div>
          <Button type="submit" pending={pending}>
            {pending ? "Adding…" : "Add files"}
          </Button>
        </div>
      </form>
    </FormContext>
  );
}

const picked = (data: FormData): File[] =>
  data.getAll("relatedFiles").filter((value): value is File => value instanceof File && value.name !== "");

/** @returns what the form says when it was refused, or null when the files are there */
async function upload(
  api: string,
  body: FormData,
  values: Record<string, string>,
): Promise<FormState | null> {
  try {
    const response = await fetch(api, { method: "POST", body, headers: { Accept: "application/json" } });
    if (response.ok) return null;
    const { code, error, details } = (await response.json()) as Record<string, string>;
    return refusedFiles({ code: code ?? "", message: error ?? "", details: details ?? "" }, values);
  } catch {
    return { ok: false, error: BROKEN, values };
  }
}

const BROKEN =
  "The connection broke off, so the files may not have arrived. What you chose is still here. Look at the list, and add them again if they are not in it.";
