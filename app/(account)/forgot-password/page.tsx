import type { Metadata } from "next";
import { AccountFrame } from "#components/account/account-frame.tsx";
import { SideLink } from "#components/account/side-link.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { page } from "#components/shell/page.tsx";
import { TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { forgotPasswordAction } from "../actions.ts";

export const metadata: Metadata = { title: "Set a new password" };

export default page(function ForgotPassword() {
  return (
    <AccountFrame
      title="Set a new password"
      lead="Tell us the address of your account. We send a link there that works once, for a limited time."
      after={<SideLink question="Remembered it?" href="/login" label="Sign in" />}
    >
      <Form action={forgotPasswordAction} resetOnSuccess label="Ask for a link">
        <TextField name="email" type="email" label="E-mail" autoComplete="username" required />
        <FormActions>
          <SubmitButton pendingLabel="Asking…">Send me a link</SubmitButton>
        </FormActions>
      </Form>
    </AccountFrame>
  );
}, NarrowFrame);
