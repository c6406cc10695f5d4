"use client";

import { useRouter } from "next/navigation";
import { type ChangeEvent, type FormEvent, useEffect, useId, useRef, useState } from "react";
import { useWords } from "#words";
import { Button } from "#components/ui/button.tsx";
import { Checkbox, FileField, TextField } from "#components/ui/field.tsx";
import { FormContext } from "#components/ui/form-context.ts";
import { FormErrors } from "#components/ui/form-errors.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { useScripted } from "#components/ui/scripted.ts";
import { translatedAnswer } from "#components/words/problem-action.ts";
import type { Words } from "#components/words/words.ts";
import { type FormState, refused, sentValues, UNSENT } from "#lib/design/form-state.ts";
import { ChosenFiles, type FileLimits, useFileProblem, useFiles } from "./chosen-files.tsx";
import { refusedFiles } from "./refused-files.ts";

type Props = {
  /** Where the form goes without script: a route beside the page. */
  sendTo: string;
  /** Says without script whose form it is (`formTicket`). */
  ticket: string;
  /** Where it goes with script: the API. */
  api: string;
  /** What a form that was sent without script held when it was refused. */
  returned: FormState | null;
  limits: FileLimits & { description: number };
  /** Only the team chooses whether the reporter sees a file. */
  mayShare: boolean;
};

/** Files that come later. With script the page stays and nothing that was chosen is lost. */
export function AddFiles({ sendTo, ticket, api, returned, limits, mayShare }: Props) {
  const t = useWords("caseClient");
  const id = useId();
  const router = useRouter();
  const [state, setState] = useState<FormState>(returned ?? UNSENT);
  const [pending, setPending] = useState(false);
  const files = useFiles();
  const scripted = useScripted();
  const problemOfFiles = useFileProblem(limits);
  const errors = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (refused(state)) errors.current?.focus();
  }, [state]);

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (pending) return;
    const form = event.currentTarget;
    const data = new FormData(form);
    data.delete("ticket");
    const chosen = [...files.chosen, ...picked(data)];
    const values = sentValues(data);
    const early = chosen.length === 0 ? t("chooseFile") : problemOfFiles(chosen);
    if (early) return setState({ ok: false, fieldErrors: { relatedFiles: early }, values });
    data.delete("relatedFiles");
    for (const file of chosen) data.append("relatedFiles", file);
    setPending(true);
    const refusal = await upload(api, data, { values, t });
    setPending(false);
    setState(refusal ?? { ok: true, message: t("filesThere", { count: chosen.length }) });
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
        aria-label={t("addFiles")}
        onSubmit={send}
        onChange={(event: ChangeEvent<HTMLFormElement>) => {
          const { target } = event;
          if (target instanceof HTMLInputElement && target.type === "file") files.add(target);
        }}
        className="grid gap-4"
      >
        <input type="hidden" name="ticket" value={ticket} />
        <FormErrors ref={errors} autoFocus formId={id} state={state} />
        {state.ok && state.message && (
          <Notice kind="success" live>
            <p>{state.message}</p>
          </Notice>
        )}
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
        <ChosenFiles files={files} limits={limits} />
        <div>
          <Button type="submit" pending={pending}>
            {t(pending ? "addingFiles" : "addFiles")}
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
  { values, t }: { values: Record<string, string>; t: Words<"caseClient"> },
): Promise<FormState | null> {
  try {
    const response = await fetch(api, { method: "POST", body, headers: { Accept: "application/json" } });
    if (response.ok) return null;
    const { code, error, details } = (await response.json()) as Record<string, string>;
    const answer = { code: code ?? "", message: error ?? "", details: details ?? "" };
    return refusedFiles(await translatedAnswer(answer), { values, t });
  } catch {
    return { ok: false, error: t("filesBroken"), values };
  }
}
