import commentForms from "./commentForms.json" with { type: "json" };
import caseFile from "./caseFile.json" with { type: "json" };
import conflict from "./conflict.json" with { type: "json" };
import people from "./people.json" with { type: "json" };
import retention from "./retention.json" with { type: "json" };
import mailbox from "./mailbox.json" with { type: "json" };
import intake from "./intake.json" with { type: "json" };
import otherMailbox from "./otherMailbox.json" with { type: "json" };
import conversations from "./conversations.json" with { type: "json" };
import receiptActions from "./receiptActions.json" with { type: "json" };
import incidentTeam from "./incidentTeam.json" with { type: "json" };
import keySheet from "./keySheet.json" with { type: "json" };
import due from "./due.json" with { type: "json" };
import live from "./live.json" with { type: "json" };
import mine from "./mine.json" with { type: "json" };
import inboxClient from "./inboxClient.json" with { type: "json" };
import inbox from "./inbox.json" with { type: "json" };
import secret from "./secret.json" with { type: "json" };
import setup from "./setup.json" with { type: "json" };
import mails from "./mails.json" with { type: "json" };
import notifications from "./notifications.json" with { type: "json" };
import outcome from "./outcome.json" with { type: "json" };
import ownReport from "./ownReport.json" with { type: "json" };
import factor from "./factor.json" with { type: "json" };
import account from "./account.json" with { type: "json" };
import visitor from "./visitor.json" with { type: "json" };
import report from "./report.json" with { type: "json" };
import offline from "./offline.json" with { type: "json" };
import quickExit from "./quickExit.json" with { type: "json" };
import reportForm from "./reportForm.json" with { type: "json" };
import chosenFiles from "./chosenFiles.json" with { type: "json" };
import incidentClient from "./incidentClient.json" with { type: "json" };
import incidentPage from "./incidentPage.json" with { type: "json" };
import signInForm from "./signInForm.json" with { type: "json" };
import signIn from "./signIn.json" with { type: "json" };
import reference from "./reference.json" with { type: "json" };
import insights from "./insights.json" with { type: "json" };
import organization from "./organization.json" with { type: "json" };
import webhooks from "./webhooks.json" with { type: "json" };
import failure from "./failure.json" with { type: "json" };
import eventAdmin from "./eventAdmin.json" with { type: "json" };
import system from "./system.json" with { type: "json" };
import fieldProblems from "./fieldProblems.json" with { type: "json" };
import formErrors from "./formErrors.json" with { type: "json" };
import frame from "./frame.json" with { type: "json" };
import errorTerms from "./errorTerms.json" with { type: "json" };
import errors from "./errors.json" with { type: "json" };
import eventFrame from "./eventFrame.json" with { type: "json" };
import invite from "./invite.json" with { type: "json" };
import audit from "./audit.json" with { type: "json" };
import jump from "./jump.json" with { type: "json" };
import incident from "./incident.json" with { type: "json" };
import chart from "./chart.json" with { type: "json" };
import shell from "./shell.json" with { type: "json" };
import ui from "./ui.json" with { type: "json" };

export default {
  mailbox,
  intake,
  otherMailbox,
  conversations,
  commentForms,
  caseFile,
  conflict,
  people,
  retention,
  receiptActions,
  incidentTeam,
  keySheet,
  due,
  live,
  mine,
  inboxClient,
  inbox,
  secret,
  setup,
  mails,
  notifications,
  outcome,
  ownReport,
  factor,
  account,
  visitor,
  report,
  offline,
  quickExit,
  reportForm,
  chosenFiles,
  incidentClient,
  incidentPage,
  signInForm,
  signIn,
  reference,
  insights,
  organization,
  webhooks,
  failure,
  eventAdmin,
  system,
  fieldProblems,
  formErrors,
  frame,
  errorTerms,
  errors,
  eventFrame,
  invite,
  audit,
  jump,
  incident,
  chart,
  shell,
  ui,
};
