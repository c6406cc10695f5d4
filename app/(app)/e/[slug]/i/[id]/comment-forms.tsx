"use client";

import type { ComponentProps } from "react";
import { useTranslator } from "#i18n";
import { DismissDialogButton } from "#components/ui/dismiss-button.tsx";
import { TextArea } from "#components/ui/field.tsx";
import { FormActions, SubmitButton } from "#components/ui/form.tsx";
import { changeCommentAction, deleteCommentAction } from "./actions.ts";
import type { FormAccountBinding } from "./form-binding.ts";
import { AccountBoundForm } from "./ticketed-form.tsx";

type Props = {
  /** The hidden fields that name the incident. */
  place: Record<string, string>;
  writing: FormAccountBinding;
  /** Whether the reader wrote the comment, and so may edit it. */
  isOwn: boolean;
  id: string;
  /** The version of the comment. */
  ifMatch: string;
  body: string;
  what: "note" | "message";
  maxLength: number;
};

/**
 * The forms that edit and delete a comment. A client component, since a timeline has many: React's data in the page
 * holds only their props.
 */
export function CommentForms({ place, writing, isOwn, id, ifMatch, ...comment }: Props) {
  const form = { writing, of: { ...place, commentId: id, ifMatch }, className: "gap-4" };
  return (
    <div className="no-print -ms-4 flex flex-wrap items-start gap-x-1">
      {isOwn && <EditForm {...form} {...comment} form={`edit:${id}`} />}
      <DeleteForm {...form} body={comment.body} what={comment.what} form={`delete:${id}`} />
    </div>
  );
}

type FormProps = Pick<Props, "body" | "what" | "maxLength"> &
  Pick<ComponentProps<typeof AccountBoundForm>, "writing" | "of" | "className" | "form">;

function EditForm({ body, what, maxLength, ...form }: FormProps) {
  const t = useTranslator("commentForms");
  return (
    <AccountBoundForm
      {...form}
      action={changeCommentAction}
      label={t(`${what}.edit`)}
      dialog={{ trigger: t("edit"), title: t(`${what}.edit`), variant: "quiet" }}
      versions={{
        theirs: (
          <span dir="auto" className="block whitespace-pre-wrap">
            {body}
          </span>
        ),
        field: "body",
      }}
    >
      <TextArea
        name="body"
        label={t(`${what}.label`)}
        hint={t("editHint")}
        defaultValue={body}
        rows={4}
        maxLength={maxLength}
        required
        count
      />
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t(`${what}.save`)}</SubmitButton>
      </FormActions>
    </AccountBoundForm>
  );
}

function DeleteForm({ body, what, ...form }: Omit<FormProps, "maxLength">) {
  const t = useTranslator("commentForms");
  return (
    <AccountBoundForm
      {...form}
      action={deleteCommentAction}
      label={t(`${what}.delete`)}
      dialog={{ trigger: t("delete"), title: t(`${what}.deleteTitle`), variant: "quiet" }}
      versions={{ theirs: <bdi>{body}</bdi>, yours: t(`${what}.delete`), field: "none" }}
    >
      <p>{t(`${what}.deleteAbout`)}</p>
      <FormActions>
        <SubmitButton variant="danger" pendingLabel={t("deleting")}>
          {t(`${what}.delete`)}
        </SubmitButton>
        <DismissDialogButton outcome="keep" />
      </FormActions>
    </AccountBoundForm>
  );
}
