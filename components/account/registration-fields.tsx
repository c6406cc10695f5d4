import { TextField } from "#components/ui/field.tsx";

/** What an account is made of; for registering with and without an invite. */
export function RegistrationFields({ minPassword, maxName }: { minPassword: number; maxName: number }) {
  return (
    <>
      <TextField
        name="name"
        label="Name"
        hint="Shown to the people you work with here."
        autoComplete="name"
        maxLength={maxName}
        required
      />
      <TextField name="email" type="email" label="E-mail" autoComplete="username" required />
      <TextField
        name="password"
        type="password"
        label="Password"
        hint={`At least ${minPassword} characters. A few unrelated words are easy to remember and hard to guess.`}
        autoComplete="new-password"
        required
      />
    </>
  );
}
