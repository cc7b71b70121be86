"""Will a model find the ops of custom domains that it asks for? The model and the libraries'
manifests say so; nothing of either is run."""

from epforge.validate.models.findings import Diagnosis, Domain, Finding, Severity
from epforge.validate.models.judge import judge
from epforge.validate.models.offers import Offer, offer
from epforge.validate.models.read import library_offer, project_offers, read_manifest, read_model

__all__ = [
    "Diagnosis",
    "Domain",
    "Finding",
    "Offer",
    "Severity",
    "judge",
    "library_offer",
    "offer",
    "project_offers",
    "read_manifest",
    "read_model",
]
