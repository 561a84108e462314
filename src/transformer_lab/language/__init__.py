"""Small language models, trained in many ways and recorded, and the counting model beside them."""
