import type { EventRole, OrganizationRole } from "#lib/operation/policy.ts";

/** The people of the demo world. All names are invented, and all addresses are under example.org. */

type PersonRoles = {
  systemAdmin?: true;
  organization?: readonly [organization: string, role: OrganizationRole];
  /** Maps the slug of an event to the role there. */
  events?: Readonly<Record<string, EventRole>>;
};

export type DemoPerson = PersonRoles & { name: string; email: string };

/** The accounts that `npm run demo` prints, in this order. */
export const PRINTED_DEMO_ACCOUNTS: readonly (DemoPerson & { as: string })[] = [
  { as: "SystemAdmin", name: "Sam Okoro", email: "sam@example.org", systemAdmin: true },
  {
    as: "org_admin of Northlight",
    name: "Olga Lindgren",
    email: "olga@example.org",
    organization: ["northlight", "org_admin"],
    events: {
      "northlight-summit": "Admin",
      "northlight-summit-last-year": "Admin",
      "northlight-online": "Admin",
    },
  },
  {
    as: "org_viewer of Northlight",
    name: "Viktor Hale",
    email: "viktor@example.org",
    organization: ["northlight", "org_viewer"],
  },
  {
    as: "event Admin of the summit that runs now",
    name: "Ada Moreno",
    email: "ada@example.org",
    events: { "northlight-summit": "Admin", "northlight-summit-last-year": "Admin" },
  },
  {
    as: "Responder at all three Northlight events",
    name: "Omar Haddad",
    email: "omar@example.org",
    events: {
      "northlight-summit": "Responder",
      "northlight-summit-last-year": "Responder",
      "northlight-online": "Responder",
    },
  },
  {
    as: "Reporter",
    name: "Maya Castillo",
    email: "maya@example.org",
    events: {
      "northlight-summit": "Reporter",
      "northlight-summit-last-year": "Reporter",
      "northlight-online": "Reporter",
    },
  },
  {
    as: "org_admin of Juniper Games",
    name: "Jun Takeda",
    email: "jun@example.org",
    organization: ["juniper-games", "org_admin"],
    events: { "juniper-league": "Admin", "juniper-weekend": "Admin" },
  },
];

/** The members of the two organizations and of the response teams who aren't in `PRINTED_DEMO_ACCOUNTS`. */
export const DEMO_TEAM_MEMBERS: readonly DemoPerson[] = [
  createPerson("Priya Raman", { organization: ["northlight", "org_viewer"] }),
  createPerson("Tomasz Wieczorek", {
    events: { "northlight-online": "Admin", "northlight-summit": "Responder" },
  }),
  createPerson("Leila Benali", {
    events: { "northlight-summit": "Responder", "northlight-summit-last-year": "Responder" },
  }),
  createPerson("Jonas Eriksen", { events: { "northlight-summit": "Responder" } }),
  createPerson("Chidi Nwachukwu", {
    events: { "northlight-summit": "Responder", "northlight-online": "Responder" },
  }),
  createPerson("Sofia Marchetti", {
    events: { "northlight-summit-last-year": "Responder", "northlight-online": "Responder" },
  }),
  createPerson("Freya Kjær", { events: { "northlight-summit-last-year": "Responder" } }),
  createPerson("Mateo Quispe", { events: { "northlight-online": "Responder" } }),
  createPerson("Hannah Adler", { organization: ["juniper-games", "org_viewer"] }),
  createPerson("Kofi Asante", { events: { "juniper-league": "Admin", "juniper-weekend": "Responder" } }),
  createPerson("Yuki Hayashi", { events: { "juniper-league": "Responder" } }),
  createPerson("Rosa Delgado", { events: { "juniper-league": "Responder", "juniper-weekend": "Responder" } }),
  createPerson("Emil Novak", { events: { "juniper-league": "Responder" } }),
  createPerson("Nadia Rahmani", { events: { "juniper-weekend": "Responder" } }),
];

/** People who may report at the events of an organization, by its slug. */
export const DEMO_REPORTERS: Readonly<Record<string, readonly DemoPerson[]>> = {
  northlight: createPeople(
    "Aiko Morimoto, Alejandro Vega, Amara Diallo, Anneke de Vries, Asha Pillai, Beatriz Carvalho, Benjamin Roth, " +
      "Camille Fournier, Daniel Osei, Deepa Narayan, Elif Demir, Erik Halvorsen, Fatima Zahra Idrissi, Gabriel Costa, " +
      "Grace Mwangi, Hugo Bergström, Imani Wallace, Ingrid Solheim, Isabella Conti, Jamal Edwards, Jana Horáková, " +
      "Jasper Lowe, Joanna Pawlak, Karim Mansour, Katarina Ilić, Keisha Bryant, Lars Petersen, Lena Vogt, Lucía Herrera, " +
      "Malik Johnson, Mei-Ling Chou, Mikael Lahtinen, Miriam Katz, Nguyễn Minh Anh, Niamh O'Sullivan, Nikolai Petrov, " +
      "Noor Siddiqui, Oluwaseun Adebayo, Patrick Dunne, Paulina Kruk, Rafael Santos, Rebecca Stone, Ravi Shankaran, " +
      "Samira Hosseini, Sebastian Brandt, Sienna Clarke, Tariq Aziz, Thandiwe Ndlovu, Vera Smirnova, Zoë Dubois",
  ),
  "juniper-games": createPeople(
    "Adrian Popescu, Agnes Szabó, Ben Ashworth, Carla Montes, Caspar Engel, Dana Whitlock, Dinesh Perera, Ebony Greene, " +
      "Felix Baumann, Filip Jensen, Georgia Manou, Harriet Lane, Ilse Van Damme, Ivan Dimitrov, Jess Thornbury, Kai Lindholm, " +
      "Lorenzo Greco, Mira Haapala, Moses Kiprono, Nora Feldman, Otis Freeman, Petra Kovač, Quentin Moreau, Rhea Kapoor, " +
      "Simon Achterberg, Suda Chaiyaporn, Theo Marsh, Uma Krishnan, Wren Holloway, Xavier Pons",
  ),
};

function createPerson(name: string, role: PersonRoles = {}): DemoPerson {
  return { name, email: buildEmail(name), ...role };
}

function createPeople(list: string): DemoPerson[] {
  return list.split(", ").map((name) => createPerson(name));
}

/** "Jana Horáková" → jana.horakova@example.org */
function buildEmail(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("æ", "ae");
  return `${plain.replace(/[^a-z ]/g, "").replaceAll(" ", ".")}@example.org`;
}
